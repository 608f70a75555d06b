// A stand-in for PeerTube: its upload engine (@uploadx/core) with the routes around it, which keep what they are told.
// Usage: NODE_PATH=node_modules node peertube.cjs PORT FOLDER
const { createServer } = require('node:http')
const { randomUUID } = require('node:crypto')
const { mkdirSync, readFileSync, renameSync } = require('node:fs')
const { join } = require('node:path')
const { DiskStorage, Uploadx } = require('@uploadx/core')
const { Form } = require('multiparty')

const [port, folder] = process.argv.slice(2)
const uploads = join(folder, 'uploads')
mkdirSync(uploads, { recursive: true })
const storage = new DiskStorage({ directory: uploads, uploadDir: uploads, maxUploadSize: '10GB', filename: file => `${file.userId}-${file.id}.mp4` })
const engine = new Uploadx({ storage, userIdentifier: () => '7' })
const videos = []
const processed = new Set()

const send = (res, status, body, headers = {}) => {
  const text = body === undefined ? '' : Buffer.isBuffer(body) ? body : JSON.stringify(body)
  res.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text), ...headers })
  res.end(text)
}
const read = async req => {
  const pieces = []
  for await (const piece of req) pieces.push(piece)
  return Buffer.concat(pieces)
}
const fileIn = req => new Promise((resolve, reject) => {
  new Form().on('error', reject).parse(req, (error, _, files) => {
    if (error) return reject(error)
    const [name] = Object.keys(files)
    resolve([name, readFileSync(files[name][0].path)])
  })
})

// Called by the engine once an upload is whole, as PeerTube's controller is.
const uploaded = (req, res) => async () => {
  const id = new URL(req.url, 'http://x').searchParams.get('upload_id')
  if (processed.has(id)) return send(res, 503, { error: 'The upload is already being processed' }, { 'Retry-After': '300' })
  processed.add(id)
  const file = req.body
  const video = { id: videos.length + 1, uuid: randomUUID(), shortUUID: `s${videos.length + 1}`, ...file.metadata, captions: {}, views: 12, likes: 3 }
  renameSync(join(uploads, file.name), join(folder, `${video.uuid}.mp4`))
  videos.push(video)
  await storage.delete(file).catch(() => undefined)
  processed.delete(id)
  send(res, 200, { video: { id: video.id, uuid: video.uuid, shortUUID: video.shortUUID } })
}

const routes = async (req, res) => {
  const { pathname, searchParams } = new URL(req.url, 'http://x')
  const path = pathname.replace('/api/v1/', '')
  if (path === 'oauth-clients/local') return send(res, 200, { client_id: 'client', client_secret: 'shared' })
  if (path === 'users/token') {
    const form = new URLSearchParams((await read(req)).toString())
    const right = form.get('username') === 'ada' && form.get('password') === 'kettle' && form.get('client_secret') === 'shared'
    return right && form.get('grant_type') === 'password'
      ? send(res, 200, { token_type: 'Bearer', access_token: 'token', refresh_token: 'refresh', expires_in: 14399 })
      : send(res, 400, { code: 'invalid_grant', status: 400 })
  }
  if (pathname.startsWith('/static/')) return send(res, 200, readFileSync(join(folder, pathname.slice(8))))
  if (req.headers.authorization !== 'Bearer token') return send(res, 401, { code: 'invalid_token' })
  if (path === 'users/me') return send(res, 200, { videoChannels: [{ id: 3, name: 'ada_channel' }, { id: 4, name: 'films' }] })
  if (path === 'users/me/videos') {
    const newest = [...videos].reverse().slice(0, Number(searchParams.get('count') || 15)).map(({ uuid, shortUUID, name }) => ({ uuid, shortUUID, name }))
    return send(res, 200, { total: videos.length, data: newest })
  }
  if (path === 'videos/upload-resumable') return engine.upload(req, res, req.method === 'PUT' ? uploaded(req, res) : undefined)
  const [, uuid, rest, language] = path.split('/')
  const video = videos.find(each => each.uuid === uuid)
  if (!video) return send(res, 404, { error: 'Video not found' })
  if (req.method === 'GET' && !rest) return send(res, 200, { ...video, captions: Object.keys(video.captions), thumbnail: video.thumbnail?.toString('base64') })
  if (req.method === 'GET' && rest === 'source') return send(res, 200, { inputFilename: video.filename })
  if (req.method === 'GET' && rest === 'captions') return send(res, 200, video.captions[language])
  if (req.method === 'PUT' && rest === 'captions') [, video.captions[language]] = await fileIn(req)
  else if (req.method === 'PUT' && rest === 'chapters') video.chapters = JSON.parse(await read(req)).chapters
  else if (req.method === 'PUT' && !rest) [, video.thumbnail] = await fileIn(req)
  else if (req.method === 'DELETE') videos.splice(videos.indexOf(video), 1)
  else return send(res, 404, {})
  send(res, 204)
}

createServer((req, res) => routes(req, res).catch(() => res.headersSent || send(res, 500, {}))).listen(Number(port), '127.0.0.1')

// Lets the libraries of vendors load the tools of `python app.py mcp`, and call one for their model. No vendor is reached: each
// model here asks for a tool once, and then says that it is done. Prints the tools that each was offered, and what it was told.

import { readFileSync } from "node:fs";

import Anthropic from "@anthropic-ai/sdk";
import { mcpTools } from "@anthropic-ai/sdk/helpers/beta/mcp";
import { GoogleGenAI, mcpToTool } from "@google/genai";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { dynamicTool, generateText, isStepCount, jsonSchema } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import OpenAI from "openai";

const { command, args, env, call } = JSON.parse(readFileSync(0, "utf8"));
const agent = new Client({ name: "vendors", version: "1" });
await agent.connect(new StdioClientTransport({ command, args, env }));
const { tools } = await agent.listTools(); // it compiles the schema of each answer, too
const told = async (name, given) => (await agent.callTool({ name, arguments: given })).content[0].text;
const offered = { mcp: { tools: tools.map((tool) => tool.name), result: await told(call.name, call.arguments) } };
const question = "Which languages are there?";
const messages = [{ role: "user", content: question }];

/** Return a function that stands in for `fetch`: it keeps what is sent, and gives one answer after the other. */
function vendor(...answers) {
  const sent = [];
  const fetch = async (_, request) => {
    sent.push(JSON.parse(request.body));
    return Response.json(answers.shift());
  };
  return { sent, fetch };
}

async function openai() {
  const answer = (message, finish_reason) => ({
    id: "c", object: "chat.completion", created: 1, model: "m", choices: [{ index: 0, finish_reason, message }],
  });
  const asked = { name: call.name, arguments: JSON.stringify(call.arguments) };
  const { sent, fetch } = vendor(
    answer({ role: "assistant", content: null, tool_calls: [{ id: "1", type: "function", function: asked }] }, "tool_calls"),
    answer({ role: "assistant", content: "Done." }, "stop"),
  );
  const functions = tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    function: { name, description, parameters: inputSchema, parse: JSON.parse, function: (given) => told(name, given) },
  }));
  const client = new OpenAI({ apiKey: "x", fetch });
  await client.chat.completions.runTools({ model: "m", messages, tools: functions }).finalContent();
  return { tools: sent[0].tools.map((tool) => tool.function.name), result: sent[1].messages.at(-1).content };
}

async function anthropic() {
  const answer = (content, stop_reason) => ({
    id: "m", type: "message", role: "assistant", model: "m", content: [content], stop_reason, stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  });
  const { sent, fetch } = vendor(
    answer({ type: "tool_use", id: "1", name: call.name, input: call.arguments }, "tool_use"),
    answer({ type: "text", text: "Done." }, "end_turn"),
  );
  const client = new Anthropic({ apiKey: "x", fetch });
  await client.beta.messages.toolRunner({ model: "m", max_tokens: 9, messages, tools: mcpTools(tools, agent) });
  const [{ content: [{ text }] }] = sent[1].messages.at(-1).content;
  return { tools: sent[0].tools.map((tool) => tool.name), result: text };
}

async function gemini() {
  const answer = (part) => ({ candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP" }] });
  const { sent, fetch } = vendor(
    answer({ functionCall: { name: call.name, args: call.arguments } }),
    answer({ text: "Done." }),
  );
  globalThis.fetch = fetch; // the library takes no other
  const client = new GoogleGenAI({ apiKey: "x" });
  await client.models.generateContent({ model: "m", contents: question, config: { tools: [mcpToTool(agent)] } });
  const [{ functionResponse }] = sent[1].contents.at(-1).parts;
  const declared = sent[0].tools.flatMap((tool) => tool.functionDeclarations);
  return { tools: declared.map((each) => each.name), result: functionResponse.response.content[0].text };
}

async function vercel() {
  const none = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 };
  const usage = { inputTokens: none, outputTokens: { total: 1, text: 1, reasoning: 0 } };
  const asked = { type: "tool-call", toolCallId: "1", toolName: call.name, input: JSON.stringify(call.arguments) };
  const answers = [
    { content: [asked], finishReason: { unified: "tool-calls", raw: "t" }, warnings: [], usage },
    { content: [{ type: "text", text: "Done." }], finishReason: { unified: "stop", raw: "s" }, warnings: [], usage },
  ];
  const sent = [];
  const model = new MockLanguageModelV4({ doGenerate: async (request) => (sent.push(request), answers.shift()) });
  const given = tools.map(({ name, description, inputSchema }) => [
    name, dynamicTool({ description, inputSchema: jsonSchema(inputSchema), execute: (input) => told(name, input) }),
  ]);
  await generateText({ model, messages, tools: Object.fromEntries(given), stopWhen: isStepCount(2) });
  const [{ output }] = sent[1].prompt.at(-1).content;
  return { tools: sent[0].tools.map((tool) => tool.name), result: output.value };
}

for (const library of [openai, anthropic, gemini, vercel]) offered[library.name] = await library();
await agent.close();
console.log(JSON.stringify(offered));

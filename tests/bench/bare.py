"""The measure of all others: Flask that answers a constant JSON object, with nothing behind it."""

from flask import Flask, jsonify

app = Flask(__name__, static_folder=None)


@app.get("/hello")
def hello():
    return jsonify(hello="world")

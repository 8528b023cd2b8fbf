"""A small real server of /v1/audio/transcriptions: faster-whisper behind http.server. Usage: whisper-server.py MODEL_DIR"""

import io
import json
import sys
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, HTTPServer

from faster_whisper import WhisperModel

model = WhisperModel(sys.argv[1], device="cpu", compute_type="int8", local_files_only=True)


def form(content_type, body):
    parsed = BytesParser().parsebytes(b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + body)
    return {part.get_param("name", header="content-disposition"): part.get_payload(decode=True) for part in parsed.get_payload()}


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        fields = form(self.headers["content-type"], self.rfile.read(int(self.headers["content-length"])))
        language = fields["language"].decode() if "language" in fields else None
        segments, info = model.transcribe(io.BytesIO(fields["file"]), language=language, beam_size=5)
        text = "".join(segment.text for segment in segments)
        reply = {"text": text, "language": info.language, "duration": info.duration}
        data = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


server = HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()

import { DuckDBDataChunk, INTEGER, UTINYINT, VARCHAR } from '@duckdb/node-api';
import type { CallWave } from '../../../activities/relation-port.js';
import { quoteName } from '../../../plans/relation/names.js';
import { answerStates, type AnswerRow, decodeAnswers } from '../arrow/answers.js';
import type { DuckDbSession } from './session.js';

/** DuckDB's vector size: no chunk may hold more rows. */
const chunkRows = 2048;
/** Answer files read ahead. */
const readAhead = 16;

const types = [INTEGER, INTEGER, UTINYINT, VARCHAR, VARCHAR, VARCHAR];

/** Loads the answer files of one call, all waves, into a table (`wave`, `in`, `state`, `value`, `code`, `message`). */
export async function loadAnswers(session: DuckDbSession, table: string, waves: readonly CallWave[]): Promise<void> {
  const columns = 'wave INTEGER, "in" INTEGER, state UTINYINT, value VARCHAR, code VARCHAR, message VARCHAR';
  await session.run(`CREATE TABLE ${quoteName(table)} (${columns})`);
  const appender = await session.connection.createAppender(table);
  let waiting: [number, AnswerRow][] = [];
  const append = (rows: readonly (readonly [number, AnswerRow])[]) => {
    const chunk = DuckDBDataChunk.create(types, rows.length);
    chunk.setColumns([
      rows.map(([wave]) => wave),
      rows.map(([, row]) => row.in),
      rows.map(([, row]) => answerStates.indexOf(row.state)),
      rows.map(([, row]) => row.value ?? null),
      rows.map(([, row]) => row.code ?? null),
      rows.map(([, row]) => row.message ?? null),
    ]);
    appender.appendDataChunk(chunk);
  };
  for (const [wave, files] of waves.entries()) {
    for await (const bytes of answerFiles(files)) {
      for (const row of decodeAnswers(bytes)) waiting.push([wave, row]);
      while (waiting.length >= chunkRows) {
        append(waiting.slice(0, chunkRows));
        waiting = waiting.slice(chunkRows);
      }
    }
  }
  if (waiting.length > 0) append(waiting);
  appender.closeSync();
}

async function* answerFiles(wave: CallWave): AsyncGenerator<Uint8Array> {
  if (wave.mapping === undefined) return;
  const reading: Promise<Uint8Array | undefined>[] = [];
  let next = 0;
  while (next < wave.partitions || reading.length > 0) {
    while (next < wave.partitions && reading.length < readAhead) {
      const file = wave.answers(next++);
      // a failure is thrown when its turn comes; until then it must not count as unhandled
      file.catch(() => undefined);
      reading.push(file);
    }
    const bytes = await reading.shift();
    if (bytes !== undefined) yield bytes;
  }
}

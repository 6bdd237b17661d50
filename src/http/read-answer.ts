import type { JsonText } from '../infra/read/pool'
import type { ok } from './envelope'

/** A success response whose JSON was written by a read; nothing reads it again on its way. */
export class ReadAnswer extends Response {
  constructor(readonly written: string) {
    super(written, { headers: { 'content-type': 'application/json; charset=utf-8' } })
  }
}

/** Wraps the answer of a read (`ReadPool.text`) in a success response, as `ok` does with data. */
export const okText = <Answer>(text: JsonText<Answer>): ReturnType<typeof ok<Answer>> =>
  new ReadAnswer(`{"status":"success","data":${text}}`) as never // its schema describes the text

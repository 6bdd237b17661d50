import { printable } from '../lib/printable'

/** A line of the log, as pino writes it. */
type Line = Record<string, unknown>

/**
 * Returns a line of the log for people who read it in a terminal. pino's own formatter needs a worker
 * that a compiled binary does not have.
 */
export function readableLine(json: string): string {
  const { time, level, msg, ...facts } = JSON.parse(json) as Line
  const { error, ...rest } = msg === 'request' ? unusual(facts) : facts
  const text = [
    String(time).slice('YYYY-MM-DDT'.length, 'YYYY-MM-DDTHH:MM:SS'.length),
    String(level).toUpperCase().padEnd(5),
    msg === 'request' ? answered(facts) : String(msg),
    ...Object.entries(rest).map(([name, value]) => `${name}=${shown(value)}`),
  ].join(' ')
  return `${printable(text)}\n${error === undefined ? '' : described(error)}`
}

const shown = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

/** The request that a line is about, and how it was answered. */
const answered = ({ method, path, status, duration_ms: tookMs }: Line): string =>
  `${shown(method)} ${shown(path)} ${shown(status)} ${shown(tookMs)} ms`

/** What people look for in the line of a request: why it failed, and what to search in other lines. */
const unusual = ({ status, code, request_id: id }: Line): Line =>
  Number(status) < 400 ? {} : { code, request_id: id }

/** An error on lines of its own, with its stack and its cause. */
function described(error: unknown): string {
  const { type, message, stack, cause } = error as Line
  const text = typeof stack === 'string' ? stack : `${shown(type)}: ${shown(message)}`
  const lines = [text, ...(cause === undefined ? [] : [`cause: ${shown(cause)}`])].join('\n')
  return `${printable(lines).replaceAll(/^/gm, '  ')}\n`
}

import pino, { type DestinationStream, type Logger } from 'pino'
import { afterYield } from './event-loop'

/** The program's log: one JSON line per event. */
export type Log = Logger

const REDACTED = new Set([
  'authorization',
  'cookie',
  'token',
  'access_token',
  'refresh_token',
  'app_secret',
  'password',
  'secret',
  'key',
  'text',
  'name',
  'phone',
  'phone_number',
])

/** How deep log facts are looked through; nothing is logged that is nested deeper. */
const DEEPEST = 4

/**
 * The facts with values under names of secrets and of personal data replaced; errors are left to
 * their serializer.
 */
function redacted(facts: Record<string, unknown>, depth = 0): Record<string, unknown> {
  let copy: Record<string, unknown> | null = null
  for (const [name, value] of Object.entries(facts)) {
    const isNested =
      typeof value === 'object' && value !== null && !(value instanceof Error) && depth < DEEPEST
    const shown = REDACTED.has(name)
      ? '***'
      : isNested
        ? redacted(value as Record<string, unknown>, depth + 1)
        : value
    if (shown !== value) (copy ??= { ...facts })[name] = shown
  }
  return copy ?? facts
}

/** A path with query as the log may show it: values of credentials replaced by `***`. */
export const safeUrl = (path: string): string =>
  path
    .replace(
      /([?&](?:token|ticket|access_token|hub\.verify_token|hub%2[eE]verify_token)=)[^&#]*/g,
      '$1***',
    )
    .replace(/(\/signed\/)[^/?#]+/g, '$1***')

/** The time as pino puts it into a line. */
const timestamp = pino.stdTimeFunctions.isoTime

/**
 * Opens the log on standard output, or on `destination` in tests. Values under names of secrets and
 * of personal data are replaced.
 */
export function openLog(
  options: { level: string; format: 'json' | 'pretty' },
  destination?: DestinationStream,
): Log {
  const settings = {
    level: options.level,
    base: null,
    messageKey: 'msg',
    timestamp,
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (facts: Record<string, unknown>) => redacted(facts),
    },
    serializers: { error: describeError },
  }
  const stream = destination ?? (options.format === 'pretty' ? prettyStream() : lineStream())
  return pino(settings, stream)
}

/** A value of a line that is written as it is. */
type Plain = string | number | boolean | null

/**
 * Writes a line of facts among which nothing is to be replaced and nothing is nested: for what is
 * logged thousands of times a second, in a sixth of the time that looking through them takes.
 */
export function logPlainly(
  log: Log,
  level: 'debug' | 'info',
  facts: Record<string, Plain>,
  message: string,
): void {
  if (!log.isLevelEnabled(level)) return
  const stream = (log as unknown as Record<symbol, DestinationStream>)[pino.symbols.streamSym]
  stream?.write(
    `{"level":"${level}"${timestamp()},${JSON.stringify({ ...facts, msg: message }).slice(1)}\n`,
  )
}

/**
 * Lines nobody takes, because the disk they go to is full or who reads them has gone, are kept up
 * to so many bytes; beyond that the newest are lost.
 */
const MAX_KEPT_BYTES = 8 * 1024 * 1024

/**
 * Lines on standard output; those of one turn of the event loop are written together, for each
 * write takes longer than making its line. What is held is written when the process ends; only a
 * kill loses the lines of its last turn.
 */
function lineStream(): DestinationStream {
  const sink = pino.destination({ fd: 1, sync: true, maxLength: MAX_KEPT_BYTES })
  // tried again with the next line: a log that is lost ends no server
  sink.on('error', () => undefined)
  let held = ''
  const flush = (): void => {
    const lines = held
    held = ''
    if (lines !== '') sink.write(lines)
  }
  process.on('exit', flush)
  return {
    write(line: string) {
      if (held === '') afterYield(flush, 1)
      held += line
    },
  }
}

/**
 * An error as the log shows it: class, message and stack, and the same of its cause; never the
 * objects that hang on it.
 */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { type: typeof error }
  return {
    type: error.name,
    message: error.message,
    stack: error.stack,
    ...(error.cause instanceof Error
      ? { cause: { type: error.cause.name, message: error.cause.message } }
      : {}),
  }
}

/**
 * Lines for people instead of JSON. pino's own pretty transport needs a worker that a compiled
 * binary does not have.
 */
function prettyStream(): DestinationStream {
  return {
    write(line: string) {
      const { time, level, msg, ...rest } = JSON.parse(line) as Record<string, unknown>
      const facts = Object.entries(rest)
        .map(
          ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
        )
        .join(' ')
      process.stdout.write(
        `${String(time).slice(11, 23)} ${String(level).toUpperCase().padEnd(5)} ${String(msg)}${facts === '' ? '' : `  ${facts}`}\n`,
      )
    },
  }
}

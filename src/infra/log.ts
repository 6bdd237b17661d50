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

/** Depth to which log fields are checked; deeper values are not logged. */
const MAX_DEPTH = 4

/**
 * Returns the fields with secrets and personal data replaced, by their names. Errors are left to
 * their serializer.
 */
function redacted(facts: Record<string, unknown>, depth = 0): Record<string, unknown> {
  let copy: Record<string, unknown> | null = null
  for (const [name, value] of Object.entries(facts)) {
    const isNested =
      typeof value === 'object' && value !== null && !(value instanceof Error) && depth < MAX_DEPTH
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

/** The time in pino's format. */
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

/** A log value that is written unchanged. */
type Plain = string | number | boolean | null

/**
 * Writes a line of fields that contain nothing to redact and nothing nested. For lines that are
 * logged thousands of times a second; takes a sixth of the usual time.
 */
export function logUnredacted(
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
 * Maximum size of lines held while the log's reader is gone or its disk is full, bytes. Beyond that
 * the newest lines are lost.
 */
const MAX_KEPT_BYTES = 8 * 1024 * 1024

/**
 * Writes lines to standard output. Lines of one event loop iteration are written together, because
 * each write takes longer than formatting its line. Pending lines are written when the process
 * ends; only a kill loses them.
 */
function lineStream(): DestinationStream {
  const sink = pino.destination({ fd: 1, sync: true, maxLength: MAX_KEPT_BYTES })
  // Tried again with the next line; a lost log does not stop the server.
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
 * Returns an error for the log: class, message and stack, and those of its cause, but no attached
 * objects.
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
 * Writes readable lines instead of JSON. pino's own pretty transport needs a worker that a compiled
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

import pino, { type DestinationStream, type Logger } from 'pino'
import { afterYield } from './event-loop'
import { readableLine } from './readable-line'

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
    .replace(/(\/(?:signed|redirect|unsubscribe)\/)[^/?#]+/g, '$1***')

/** The time in pino's format. */
const timestamp = pino.stdTimeFunctions.isoTime

/** How lines are written: for machines, or for people. */
export type LogFormat = 'json' | 'pretty'

/**
 * Opens the log on standard output, or on `destination` in tests. Without a format, it is for people
 * if a terminal shows it. Values under names of secrets and of personal data are replaced.
 */
export function openLog(
  options: { level: string; format: LogFormat | null },
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
  const format = options.format ?? (process.stdout.isTTY ? 'pretty' : 'json')
  const stream = destination ?? new LineStream(format === 'pretty' ? readableLine : (line) => line)
  return pino(settings, stream)
}

const streamOf = (log: Log): DestinationStream | undefined =>
  (log as unknown as Record<symbol, DestinationStream>)[pino.symbols.streamSym]

/** Writes a text for people where the log is written, after its lines so far and in one piece. */
export function writeBesideLog(log: Log, text: string): void {
  const stream = streamOf(log)
  if (stream instanceof LineStream) stream.writeText(text)
  else stream?.write(text)
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
  streamOf(log)?.write(
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
class LineStream implements DestinationStream {
  private readonly sink = pino.destination({ fd: 1, sync: true, maxLength: MAX_KEPT_BYTES })
  private held = ''

  constructor(private readonly shownAs: (line: string) => string) {
    // Tried again with the next line; a lost log does not stop the server.
    this.sink.on('error', () => undefined)
    process.on('exit', () => this.flush())
  }

  write(line: string): void {
    if (this.held === '') afterYield(() => this.flush(), 1)
    this.held += this.shownAs(line)
  }

  /** Writes a text that is no line of the log, at once. */
  writeText(text: string): void {
    this.held += text
    this.flush()
  }

  private flush(): void {
    const lines = this.held
    this.held = ''
    if (lines !== '') this.sink.write(lines)
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

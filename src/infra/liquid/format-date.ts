import { instantMs, isCalendarDate } from '../../lib/instant'
import type { Locale } from './locale'

const two = (value: number): string => String(value).padStart(2, '0')
const hour12 = ({ hour }: Temporal.PlainDateTime): number => hour % 12 || 12

/** How names are written: the language, and whether the month stands beside its day. */
interface Naming {
  locale: Locale
  hasDay: boolean
}

/** The parts of a date format. There are no widths and no flags but `-` for "without a zero". */
const PARTS: Record<string, (at: Temporal.PlainDateTime, naming: Naming) => string> = {
  '%Y': ({ year }) => String(year),
  '%y': ({ year }) => two(year % 100),
  '%m': ({ month }) => two(month),
  '%-m': ({ month }) => String(month),
  '%d': ({ day }) => two(day),
  '%-d': ({ day }) => String(day),
  '%e': ({ day }) => String(day),
  '%H': ({ hour }) => two(hour),
  '%-H': ({ hour }) => String(hour),
  '%I': (at) => two(hour12(at)),
  '%-I': (at) => String(hour12(at)),
  '%l': (at) => String(hour12(at)),
  '%M': ({ minute }) => two(minute),
  '%S': ({ second }) => two(second),
  '%p': ({ hour }) => (hour < 12 ? 'AM' : 'PM'),
  '%P': ({ hour }) => (hour < 12 ? 'am' : 'pm'),
  '%B': ({ month }, { locale, hasDay }) => locale.month(month, 'long', hasDay),
  '%b': ({ month }, { locale, hasDay }) => locale.month(month, 'short', hasDay),
  '%A': ({ dayOfWeek }, { locale }) => locale.weekday(dayOfWeek, 'long'),
  '%a': ({ dayOfWeek }, { locale }) => locale.weekday(dayOfWeek, 'short'),
  '%u': ({ dayOfWeek }) => String(dayOfWeek),
  '%j': ({ dayOfYear }) => String(dayOfYear).padStart(3, '0'),
  '%F': (at) => at.toPlainDate().toString(),
  '%T': (at) => `${two(at.hour)}:${two(at.minute)}:${two(at.second)}`,
  '%R': (at) => `${two(at.hour)}:${two(at.minute)}`,
  '%%': () => '%',
}

const MAX_FORMAT = 64
const DIRECTIVE = /%-?.?/gsu

/** Reports whether a date format consists of known parts. */
const isDateFormat = (format: string): boolean =>
  format.length <= MAX_FORMAT &&
  (format.match(DIRECTIVE) ?? []).every((part) => Object.hasOwn(PARTS, part))

/** Returns a date in a format, with names in a language; `null` if the format has unknown parts. */
export function formatDate(
  at: Temporal.PlainDateTime,
  format: string,
  locale: Locale,
): string | null {
  if (!isDateFormat(format)) return null
  const naming = { locale, hasDay: /%-?[de]/.test(format) }
  return format.replaceAll(DIRECTIVE, (part) => PARTS[part]?.(at, naming) ?? part)
}

const SECONDS_BELOW = 100_000_000_000
const MAX_MS = 8_640_000_000_000_000
const LOCAL = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?$/

/**
 * Returns the wall-clock time of a value in a time zone: an instant in ISO 8601, a Unix time in
 * seconds or milliseconds, or a date or time without a zone, which stays as it is. `null` if it is
 * none of these.
 */
export function localTimeOf(value: unknown, timezone: string): Temporal.PlainDateTime | null {
  const atMs = epochMsOf(value)
  if (atMs !== null)
    return Temporal.Instant.fromEpochMilliseconds(atMs)
      .toZonedDateTimeISO(timezone)
      .toPlainDateTime()
  if (typeof value !== 'string') return null
  const text = value.trim()
  if (isCalendarDate(text)) return Temporal.PlainDate.from(text).toPlainDateTime()
  if (!LOCAL.test(text)) return null
  try {
    return Temporal.PlainDateTime.from(text.replace(' ', 'T'))
  } catch {
    return null
  }
}

function epochMsOf(value: unknown): number | null {
  if (typeof value === 'string') {
    const text = value.trim()
    if (text.length <= 40 && /^\d{9,13}$/.test(text)) return epochMsOf(Number(text))
    return text.length <= 40 ? instantMs(text) : null
  }
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) return null
  const atMs = Math.trunc(value < SECONDS_BELOW ? value * 1_000 : value)
  return atMs > MAX_MS ? null : atMs
}

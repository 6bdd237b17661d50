/**
 * The versions of the Graph API, newest first, with the day on which each ends. `null`: no end is
 * announced (platform changelog, 29 November 2026).
 */
const VERSIONS = {
  'v26.0': null,
  'v25.0': '2028-07-29',
  'v24.0': '2028-02-18',
  'v23.0': '2027-10-08',
  'v22.0': '2027-05-20',
  'v21.0': '2027-01-21',
  'v20.0': '2026-09-24',
} as const satisfies Record<string, string | null>

/** The version of new phone numbers. Every call is tested with it. */
export const DEFAULT_GRAPH_VERSION = 'v25.0' satisfies keyof typeof VERSIONS

/** Months before its end in which a version is reported. */
const MONTHS_AHEAD = 6

/** The end of a version that is near or over. */
export interface VersionEnd {
  isOver: boolean
  /** What people are told, such as `WhatsApp supports Graph API v22.0 until 20 May 2027.` */
  sentence: string
}

/**
 * Returns the end of a version from six months before it on. `null` while the end is further away or
 * unknown. A version older than all in the table is over.
 */
export function nearEndOf(version: string, nowMs: number): VersionEnd | null {
  const day = endOf(version)
  if (day === null || nowMs < monthsBefore(day)) return null
  const isOver = nowMs >= Date.parse(day)
  const sentence = isOver
    ? `WhatsApp no longer supports Graph API ${version}.`
    : `WhatsApp supports Graph API ${version} until ${DAY.format(Date.parse(day))}.`
  return { isOver, sentence }
}

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

function endOf(version: string): string | null {
  const known = Object.entries(VERSIONS).find(([name]) => numberOf(name) === numberOf(version))
  if (known !== undefined) return known[1]
  const [oldest, end] = Object.entries(VERSIONS).at(-1) ?? []
  return oldest !== undefined && numberOf(version) < numberOf(oldest) ? (end ?? null) : null
}

const numberOf = (version: string): number => Number(version.slice(1))

function monthsBefore(day: string): number {
  const at = new Date(day)
  return at.setUTCMonth(at.getUTCMonth() - MONTHS_AHEAD)
}

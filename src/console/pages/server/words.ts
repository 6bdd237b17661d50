import type { Data } from '../../api/client'
import { ApiError } from '../../api/error'
import { formatBytes, formatNumber } from '../../texts/format'
import { findText, t, type TextKey, type TextValues } from '../../texts/texts'
import type { Move } from './rules'

type Health = Data<'GET /api/admin/health'>
/** Something that was found about the server. */
export type HealthFinding = Health['findings'][number]
type Setting = Health['settings'][number]

/** Returns what a kind of background work does. */
export const nameOfJob = (kind: string): string => findText(`codes.job.${kind}`) ?? kind

/** What errors of programs mean, each with the words by which it is known. */
const KNOWN = [
  ['unknown-kind', /this version has no job named/],
  ['crashed', /the process ended during every attempt/],
  ['arguments', /job arguments are not valid/],
  ['timeout', /timed? ?out|TimeoutError|aborted/i],
  [
    'unreachable',
    /ECONN|ENOTFOUND|EAI_AGAIN|unable to connect|fetch failed|socket|host was down|did not answer/i,
  ],
  ['disk', /ENOSPC|disk is full|not enough (?:disk )?space|disk I\/O/i],
  ['busy', /database is locked|SQLITE_BUSY/i],
  ['token', /access token|OAuth|code 190\b/i],
  ['rate', /rate limit|too many requests|\b429\b/i],
] as const

/** Returns why work failed, in words that an operator can act on, followed by what the server noted. */
export function reasonOfJob(error: string | null): string {
  if (error === null) return t('server.error.none')
  const known = KNOWN.find(([, words]) => words.test(error))
  return known === undefined
    ? t('server.error.other', { error })
    : t(`server.error.${known[0]}`, { error })
}

/** Returns what an import answered or ended with, as an error in the language of the person. */
export const importError = (error: unknown): unknown =>
  inWords(error, (code) => `server.import-error.${code}`)

/** What a move waits for, and goes on by itself. */
const WAITING = new Set<Move['error_code']>(['after_restore', 'archive_busy', 'import_running'])
/** Why a move ended about which nothing has to be mended. */
const DECIDED = new Set<Move['error_code']>([
  'by_person',
  'came_back',
  'cell_lost',
  'moved_before',
  'organization_deleting',
])

/** Returns why a move waits, failed or ended, and what comes next; `null` if nothing is wrong. */
export function reasonOfMove({ step, error, error_code: code }: Move): string | null {
  if (error === null || code === null) return null
  const key: TextKey = `server.move-reason.${code}`
  // a newer server may know more reasons than this page
  const reason = findText(key) === null ? reasonOfJob(error) : t(key, { error })
  if (WAITING.has(code) || DECIDED.has(code) || step === 'completed') return reason
  const hasEnded = step === 'aborting' || step === 'aborted'
  return `${reason} ${t(hasEnded ? 'server.moves.next.mended' : 'server.moves.next.tried')}`
}

/** Returns why a move cannot begin or be stopped, as an error in the language of the person. */
export const moveError = (error: unknown): unknown =>
  inWords(error, (code) => `server.move-error.${code}`)

/** Returns an error with the text of its code; as it is if there is none. */
function inWords(error: unknown, keyOf: (code: string) => string): unknown {
  if (!(error instanceof ApiError)) return error
  const { status, code, message, more } = error
  const fields = more.fields.map((field) =>
    field.path === 'body.path' ? { ...field, message: t('server.imports.no-file') } : field,
  )
  const key = keyOf(code)
  const words = findText(key) === null ? message : t(key as TextKey, { error: message })
  return new ApiError(status, code, words, { ...more, fields })
}

const UNITS = ['second', 'minute', 'hour', 'day'] as const

/** Returns how often work is done, which the server says in English or as a cron expression. */
export function oftenOf(schedule: string): string {
  const [, count = '1', unit = ''] =
    /^every (?:(\d+) )?(second|minute|hour|day)s?$/.exec(schedule) ?? []
  const known = UNITS.find((one) => one === unit)
  if (known !== undefined) return t(`server.every.${known}`, { count: Number(count) })
  const [, minute = '', hour = '', zone = ''] =
    /^(\d+) (\d+) \* \* \* \((.+)\)$/.exec(schedule) ?? []
  if (zone === '') return schedule
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
  return t('server.every.night', { time, zone })
}

/** Returns the value of a setting as it may be shown. */
export function valueOfSetting({ secret, value }: Pick<Setting, 'secret' | 'value'>): string {
  if (secret) return t(value === 'set' ? 'server.settings.secret' : 'server.settings.unset')
  return value === null || value === '' ? t('server.settings.unset') : String(value)
}

const MOST_COUNTED = 1_000_000

/** Returns a number of rows; more than a million are not counted. */
export const countText = (count: number): string =>
  count >= MOST_COUNTED
    ? t('server.stored.at-least', { count: formatNumber(MOST_COUNTED) })
    : formatNumber(count)

/** The values of a finding as people read them. */
const shown = ({ bytes, ...values }: HealthFinding['values']): TextValues => ({
  ...values,
  ...(bytes === undefined ? {} : { size: formatBytes(Number(bytes)) }),
})

/** Returns a finding in the language of the person: what is wrong, and what to do. */
export function sentenceOfFinding({ code, message, values }: HealthFinding): string {
  const key = `server.finding.${code ?? ''}`
  // the server says it in English if this page is older
  return findText(key) === null ? message : t(key as TextKey, shown(values))
}

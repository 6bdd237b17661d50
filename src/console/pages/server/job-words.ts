import { findText, t } from '../../texts/texts'

/** Returns what a kind of background work does. */
export const nameOfJob = (kind: string): string => findText(`codes.job.${kind}`) ?? kind

/** What errors of programs mean, each with the words by which it is known. */
const KNOWN = [
  ['unknown-kind', /this version has no job named/],
  ['crashed', /the process ended during every attempt/],
  ['arguments', /job arguments are not valid/],
  ['timeout', /timed? ?out|TimeoutError|aborted/i],
  ['unreachable', /ECONN|ENOTFOUND|EAI_AGAIN|unable to connect|fetch failed|socket|host was down/i],
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

import { FetchRefusal } from '../../../../infra/guarded-fetch'
import type { ProviderFailure } from '../model'

const MESSAGES: Readonly<Record<ProviderFailure['kind'], string>> = {
  timeout: 'The provider did not answer in time.',
  unreachable: 'The provider could not be reached.',
  refused_address: 'The address of the provider is not allowed.',
  too_large: 'The answer of the provider is larger than 1 MiB.',
  malformed: 'The answer of the provider could not be read.',
  auth: 'The provider rejected the API key.',
  rate_limited: 'The provider limits the number of requests, or its credit is used up.',
  rejected: 'The provider rejected the request.',
  server_error: 'The provider failed.',
}

const kindOfStatus = (status: number): ProviderFailure['kind'] => {
  if (status === 401 || status === 403) return 'auth'
  if (status === 429) return 'rate_limited'
  if (status === 408) return 'timeout'
  if (status >= 500) return 'server_error'
  return status >= 200 && status < 300 ? 'malformed' : 'rejected'
}

const failure = (kind: ProviderFailure['kind'], status: number | null): ProviderFailure => ({
  kind,
  status,
  message: status === null ? MESSAGES[kind] : `${MESSAGES[kind]} (HTTP ${status})`,
})

const REFUSALS: Readonly<Record<FetchRefusal['kind'], ProviderFailure['kind']>> = {
  refused_address: 'refused_address',
  unreachable: 'unreachable',
  timeout: 'timeout',
  redirects: 'rejected',
  status: 'rejected',
  too_large: 'too_large',
  encoded: 'malformed',
}

/** Longest chain of causes that is followed. */
const MAX_CAUSES = 5

/**
 * Returns what an error of a provider's client means. Its own message is not used: it may repeat
 * the prompt or the key.
 */
export function failureOf(error: unknown): ProviderFailure {
  let one: unknown = error
  for (let depth = 0; depth < MAX_CAUSES && one instanceof Error; depth += 1) {
    if (one instanceof FetchRefusal) return failure(REFUSALS[one.kind], null)
    if ('statusCode' in one && typeof one.statusCode === 'number')
      return failure(kindOfStatus(one.statusCode), one.statusCode)
    one = one.cause
  }
  return failure('malformed', null)
}

/** Reports whether a second attempt may succeed (`automation` 6.4). */
export const isRetryable = ({ kind }: ProviderFailure): boolean =>
  kind === 'rate_limited' || kind === 'server_error'

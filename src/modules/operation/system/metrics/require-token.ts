import { ForbiddenError, UnauthorizedError } from '../../../../lib/errors'
import { equalInConstantTime } from '../../../../lib/hash'
import type { Deps } from '../../../../infra/ctx'

/**
 * Requires the metrics token if one is configured. Without one, allows only requests to the metrics
 * address (`isLocal`). Throws UnauthorizedError and ForbiddenError.
 */
export function requireMetricsToken(
  { settings }: Pick<Deps, 'settings'>,
  headers: Headers,
  { isLocal }: { isLocal: boolean },
): void {
  if (settings.metricsToken === null) {
    if (isLocal) return
    throw new ForbiddenError(
      'Metrics are not served here. Set METRICS_TOKEN, or read them at METRICS_ADDRESS.',
      {
        code: 'metrics_elsewhere',
      },
    )
  }
  const [, token] = /^Bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '') ?? []
  if (token === undefined) throw new UnauthorizedError('Send the metrics token as a bearer token.')
  if (!equalInConstantTime(token, settings.metricsToken))
    throw new UnauthorizedError('The metrics token is wrong.', { code: 'invalid_token' })
}

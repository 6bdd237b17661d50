import type { PlatformClient } from '../../platform/client/client'
import { codeFacts } from '../../platform/client/error-codes'
import { PlatformError } from '../../platform/client/errors'
import type { Metrics } from './metrics'

/** Returns the same client with its calls counted by name and outcome. */
export function instrumentPlatform(client: PlatformClient, metrics: Metrics): PlatformClient {
  const watched = Object.entries(client).map(
    ([operation, call]: [string, (...args: unknown[]) => unknown]) => [
      operation,
      (...args: unknown[]): unknown => {
        const answer = call(...args)
        if (answer instanceof Promise)
          answer.then(
            () => metrics.platformRequests.inc({ operation, class: 'ok' }),
            (error: unknown) => countFailure(metrics, operation, error),
          )
        return answer
      },
    ],
  )
  // The same names with wrapped functions.
  return Object.fromEntries(watched) as PlatformClient
}

function countFailure(metrics: Metrics, operation: string, error: unknown): void {
  if (!(error instanceof PlatformError)) {
    metrics.platformRequests.inc({ operation, class: 'error' })
    return
  }
  const { platformCode: code, retryClass } = error
  metrics.platformRequests.inc({ operation, class: retryClass })
  metrics.platformErrors.inc({
    code: code === null ? 'none' : codeFacts(code) ? String(code) : 'other',
  })
}

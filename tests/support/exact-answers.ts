import { Kind, type TSchema } from '@sinclair/typebox'
import { ElysiaCustomStatusResponse } from 'elysia'

import { exactCheck } from './exact-schema'

/** The message logged for a response that holds more, or something else, than its route documents. */
export const INEXACT = 'a response is not exactly what its route documents'

/** What an `afterHandle` hook reads of Elysia's context. */
interface Handled {
  set: { status?: number | string }
  responseValue?: unknown
}

/**
 * Calls `tell` for every response 200 that does not match its schema exactly. Elysia drops such
 * fields silently, so a field that a view forgot to document would never reach a client. Has to be
 * called before the first request: routes are compiled then.
 */
export function watchAnswers(
  routes: { method: string; path: string; hooks: unknown }[],
  tell: (route: string) => void,
): void {
  for (const { method, path, hooks } of routes) {
    const { response } = (hooks ?? {}) as { response?: Record<string, TSchema> }
    const schema = response?.['200']
    if (schema?.[Kind] !== 'Object') continue
    const isExact = exactCheck(schema)
    const fn = ({ set, responseValue }: Handled): void => {
      const isOther =
        (set.status ?? 200) !== 200 ||
        responseValue instanceof Response ||
        responseValue instanceof ElysiaCustomStatusResponse
      if (!isOther && !isExact(responseValue)) tell(`${method} ${path}`)
    }
    const hooked = hooks as { afterHandle?: unknown[] }
    hooked.afterHandle = [...(hooked.afterHandle ?? []), { fn }]
  }
}

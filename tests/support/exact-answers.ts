import { Kind, type TSchema } from '@sinclair/typebox'
import { ElysiaCustomStatusResponse } from 'elysia'

import { ReadAnswer } from '../../src/http/read-answer'
import { exactCheck } from './exact-schema'

/** Log message for a response that does not match its documentation exactly. */
export const INEXACT = 'a response is not exactly what its route documents'

/** The parts of Elysia's context that an `afterHandle` hook reads. */
interface Handled {
  set: { status?: number | string }
  responseValue?: unknown
}

/**
 * Calls `tell` for every 200 response that does not match its schema exactly. Elysia silently drops
 * undocumented fields, so a field missing in a schema would never reach a client. Call before the
 * first request, which compiles the routes.
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
      const value: unknown =
        responseValue instanceof ReadAnswer ? JSON.parse(responseValue.written) : responseValue
      const isOther =
        (set.status ?? 200) !== 200 ||
        value instanceof Response ||
        responseValue instanceof ElysiaCustomStatusResponse
      if (!isOther && !isExact(value)) tell(`${method} ${path}`)
    }
    const hooked = hooks as { afterHandle?: unknown[] }
    hooked.afterHandle = [...(hooked.afterHandle ?? []), { fn }]
  }
}

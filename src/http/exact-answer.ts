import { Kind, type TSchema } from '@sinclair/typebox'

import { exactCheck, type IsExact } from '../lib/exact-schema'
import { routeName } from './normalize-ids'

/**
 * For each route that answers 200 in a known shape: whether an answer is exactly of that shape.
 * Such an answer need not be copied without what the schema does not name, as Elysia does with
 * every answer. Checks are compiled when they are first asked for.
 */
export const exactAnswersOf = (
  routes: { method: string; path: string; hooks: unknown }[],
): [route: string, isExact: IsExact][] =>
  routes.flatMap(({ method, path, hooks }) => {
    const { response } = (hooks ?? {}) as { response?: Record<string, TSchema> }
    const schema = response?.['200']
    return schema?.[Kind] === 'Object' ? [[routeName(method, path), exactCheck(schema)]] : []
  })

import { ConflictError, InvalidError } from '../lib/errors'
import type { Ctx } from '../infra/ctx'
import { emptyGroups } from '../infra/db/connection'

/** OpenAPI extension key of routes that accept `If-Match`. */
export const IF_MATCH_KEY = 'x-if-match'

/**
 * Returns something that two people may change at the same time, as the API shows it, by the id in
 * the path; '' without one. Throws NotFoundError.
 */
export type ReadPresent = (ctx: Ctx, id: string) => { updated_at: string }

/** Returns the time that an `If-Match` header names. Throws InvalidError. */
function timeOf(header: string): number {
  const timeMs = Date.parse(/^(?:W\/)?"([^"]+)"$/.exec(header)?.[1] ?? header)
  if (Number.isFinite(timeMs)) return timeMs
  const message = 'must be the `updated_at` of what is changed'
  throw new InvalidError(`If-Match ${message}.`, {
    errors: [{ path: 'headers.if-match', message }],
  })
}

/**
 * Returns a context in which nothing is written if the object is not as the caller saw it last: the
 * time in `If-Match` is compared now, and again in the first transaction. Throws ConflictError
 * `changed_meanwhile` with the present object, InvalidError and NotFoundError.
 */
export function unlessChanged(ctx: Ctx, read: ReadPresent, id: string, header: string): Ctx {
  const knownMs = timeOf(header)
  const check = (): void => {
    const present = read(ctx, id)
    if (Date.parse(present.updated_at) === knownMs) return
    throw new ConflictError(
      `This was changed at ${present.updated_at}, after you loaded it. \`details.present\` is how ` +
        'it is now.',
      { code: 'changed_meanwhile', details: { present } },
    )
  }
  check()
  const { db } = ctx
  let isFirst = true
  const guarded: Ctx['db'] = {
    ...db,
    groups: emptyGroups(), // a transaction shared with other requests would not check
    afterBegin() {
      db.afterBegin()
      if (isFirst) check()
    },
    beforeCommit(tx, outcome) {
      db.beforeCommit(tx, outcome)
      isFirst = false
    },
    afterCommit: () => db.afterCommit(),
  }
  return { ...ctx, db: guarded }
}

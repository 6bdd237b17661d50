import { call, type Data, type Route, type Wish } from './client'
import { isTemporary } from './error'
import { onSignOut } from './session'

/** The keys of the attempts whose outcome is not known, by what they ask for. */
const attempts = new Map<string, string>()

/**
 * Calls an operation that creates something. When its answer was lost, asking for the same again
 * repeats the attempt with its key, so that it takes effect once. Throws like `call`.
 */
export async function callOnce<R extends Route>(route: R, wish: Wish<R>): Promise<Data<R>> {
  const wanted = JSON.stringify([route, wish.params, wish.query, wish.body])
  const idempotencyKey = attempts.get(wanted) ?? crypto.randomUUID()
  attempts.set(wanted, idempotencyKey)
  try {
    const data = await call(route, { ...wish, idempotencyKey })
    attempts.delete(wanted)
    return data
  } catch (error) {
    if (!isTemporary(error)) attempts.delete(wanted)
    throw error
  }
}

onSignOut(() => {
  attempts.clear()
})

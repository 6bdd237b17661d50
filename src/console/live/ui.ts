import { useSyncExternalStore } from 'react'

import { call } from '../api/client'
import { changeMe, currentSession, onSession } from '../api/session'

/** Bytes that the server keeps for a user, less some room. */
const MAX_BYTES = 16 * 1_024 - 64

const kept = (): Record<string, unknown> => {
  const session = currentSession()
  return session.phase === 'signed-in' ? session.me.settings.ui : {}
}

/** Returns what a screen keeps for the signed-in user on the server, such as the columns of a table. */
export const useUi = (screen: string): unknown =>
  useSyncExternalStore(onSession, () => kept()[screen])

/**
 * Returns what is kept with the new value of a screen; `undefined` forgets it. What was kept the
 * longest ago goes when there is no room.
 */
export function withKept(
  before: Record<string, unknown>,
  screen: string,
  value: unknown,
): Record<string, unknown> {
  const { [screen]: _, ...others } = before
  const entries = Object.entries({ ...others, ...(value === undefined ? {} : { [screen]: value }) })
  const size = (): number =>
    new TextEncoder().encode(JSON.stringify(Object.fromEntries(entries))).length
  while (entries.length > 1 && size() > MAX_BYTES) entries.shift()
  return Object.fromEntries(entries)
}

/** What is being stored: one after the other, so that none undoes another. */
let storing: Promise<unknown> = Promise.resolve()

/** Keeps something for a screen, at all devices of the user, beside what the others keep. */
export async function keepUi(screen: string, value: unknown): Promise<void> {
  const session = currentSession()
  if (session.phase !== 'signed-in') return
  const ui = withKept(kept(), screen, value)
  changeMe({ settings: { ...session.me.settings, ui } })
  const store = async (): Promise<void> => {
    const { settings } = await call('GET /api/me/settings', {})
    await call('PUT /api/me/settings', { body: { ui: withKept(settings.ui, screen, value) } })
  }
  const stored = storing.then(store)
  storing = stored.catch(() => undefined)
  await stored
}

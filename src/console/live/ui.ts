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
 * Keeps something for a screen, at all devices of the user; `undefined` forgets it. What was kept the
 * longest ago goes when there is no room.
 */
export async function keepUi(screen: string, value: unknown): Promise<void> {
  const session = currentSession()
  if (session.phase !== 'signed-in') return
  const { [screen]: _, ...others } = kept()
  const entries = Object.entries({ ...others, ...(value === undefined ? {} : { [screen]: value }) })
  const size = (): number =>
    new TextEncoder().encode(JSON.stringify(Object.fromEntries(entries))).length
  while (entries.length > 1 && size() > MAX_BYTES) entries.shift()
  const ui = Object.fromEntries(entries)
  changeMe({ settings: { ...session.me.settings, ui } })
  await call('PUT /api/me/settings', { body: { ui } })
}

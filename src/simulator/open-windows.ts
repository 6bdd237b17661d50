import { isObject } from './rules'
import type { World } from './world'

const objectsIn = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isObject) : []

const FIELDS = new Set(['messages', 'standby', 'calls'])

/**
 * Opens the 24-hour windows of the customers whose messages or calls a webhook contains, however it
 * was posted. Messages in groups and the platform's own messages open no window.
 */
export function openWindowsIn(world: World, webhook: unknown): void {
  if (!isObject(webhook)) return
  const changes = objectsIn(webhook['entry']).flatMap((entry) => objectsIn(entry['changes']))
  for (const { field, value } of changes)
    if (FIELDS.has(String(field)) && isObject(value)) openWindows(world, value)
}

/** The items of a change with which a customer opens the window: messages and calls. */
const openingIn = (value: Record<string, unknown>): Record<string, unknown>[] => [
  ...objectsIn(value['messages']).filter(
    (message) => message['group_id'] === undefined && message['type'] !== 'system',
  ),
  ...objectsIn(value['calls']).filter(
    (call) => call['event'] === 'connect' && call['direction'] === 'USER_INITIATED',
  ),
]

function openWindows(world: World, value: Record<string, unknown>): void {
  const phoneId = isObject(value['metadata']) ? value['metadata']['phone_number_id'] : undefined
  if (typeof phoneId !== 'string') return
  const observed = isObject(value['standby']) ? openingIn(value['standby']) : []
  for (const { system } of objectsIn(value['messages'])) renew(world, phoneId, system)
  for (const message of [...openingIn(value), ...observed]) {
    const sentAtS = Number(message['timestamp'])
    const atMs = Number.isFinite(sentAtS) && sentAtS > 0 ? sentAtS * 1_000 : world.nowMs()
    for (const key of [message['from'], message['from_user_id']])
      if (typeof key === 'string' && key !== '') {
        world.limits.openWindow(phoneId, key, atMs)
        if (isObject(message['referral'])) world.billing.click(phoneId, key, atMs)
      }
  }
}

/** The window of a customer stays open under a new user ID. */
function renew(world: World, phoneId: string, system: unknown): void {
  if (!isObject(system)) return
  const { previous_user_id: former, user_id: present } = system
  if (typeof former === 'string' && typeof present === 'string')
    world.limits.join(phoneId, former, present)
}

import { call } from '../api/client'
import { ApiError } from '../api/error'

const WORKER = '/push-worker.js'

/** Whether this browser can be notified while no tab is open. */
export const canPush = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis

/** Returns the key of the server, or `null` if it sends no notifications. */
export async function pushKey(): Promise<string | null> {
  try {
    return (await call('GET /api/push/key', {})).public_key
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  }
}

const registrationOf = async (): Promise<ServiceWorkerRegistration | undefined> =>
  await navigator.serviceWorker.getRegistration('/')

/** Whether this browser is subscribed. */
export async function isSubscribed(): Promise<boolean> {
  const registration = await registrationOf()
  return (await registration?.pushManager.getSubscription()) != null
}

const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0))

/** The policy of the page takes the address of a script only from a named rule, where there are any. */
function trusted(address: string): string {
  const { trustedTypes: types } = globalThis as {
    trustedTypes?: {
      createPolicy: (
        name: string,
        rule: { createScriptURL: (address: string) => string },
      ) => { createScriptURL: (address: string) => unknown }
    }
  }
  if (!types) return address
  const rule = types.createPolicy('push-worker', { createScriptURL: (one) => one })
  // a trusted address is given where a text is expected
  return rule.createScriptURL(address) as string
}

/** Calls `onOpen` with the page of a notification that a person chose. Returns a function that stops it. */
export function onPushOpened(onOpen: (link: string) => void): () => void {
  if (!canPush()) return () => undefined
  const { serviceWorker } = navigator
  const listener = ({ data }: MessageEvent<{ open?: unknown } | null>): void => {
    if (typeof data?.open === 'string') onOpen(data.open)
  }
  serviceWorker.addEventListener('message', listener)
  return () => {
    serviceWorker.removeEventListener('message', listener)
  }
}

/** Subscribes this browser, after the person allowed notifications. */
export async function subscribe(key: string): Promise<void> {
  await navigator.serviceWorker.register(trusted(WORKER))
  const registration = await navigator.serviceWorker.ready
  const subscription = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: bytesOf(key),
  })
  const { endpoint = '', keys } = subscription.toJSON()
  await call('POST /api/push/subscriptions', {
    body: { endpoint, keys: { p256dh: keys?.['p256dh'] ?? '', auth: keys?.['auth'] ?? '' } },
  })
}

/** Ends the subscription of this browser, here and at the server. */
export async function unsubscribe(): Promise<void> {
  const registration = await registrationOf()
  const subscription = await registration?.pushManager.getSubscription()
  if (!subscription) return
  await call('DELETE /api/push/subscriptions', { body: { endpoint: subscription.endpoint } })
  await subscription.unsubscribe()
}

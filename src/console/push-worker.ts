/**
 * The service worker of notifications: it shows those that the server sends, and opens the page
 * they lead to. It handles no requests, so it never stands between the page and a newer server.
 */
interface Extendable extends Event {
  waitUntil: (work: Promise<unknown>) => void
}
interface Push extends Extendable {
  data: { json: () => unknown } | null
}
interface Click extends Extendable {
  notification: Notification
}
interface Tab {
  url: string
  focused: boolean
  focus: () => Promise<unknown>
  postMessage: (message: unknown) => void
}
interface Worker extends EventTarget {
  registration: ServiceWorkerRegistration
  skipWaiting: () => Promise<void>
  clients: {
    matchAll: (which: { type: 'window'; includeUncontrolled: true }) => Promise<Tab[]>
    openWindow: (url: string) => Promise<unknown>
  }
}
interface Content {
  title: string
  body?: string
  link: string
  tag: string
}

// The types of the page call this a window.
const worker = globalThis as unknown as Worker

const tabs = (): Promise<Tab[]> =>
  worker.clients.matchAll({ type: 'window', includeUncontrolled: true })

/** Shows a notification, unless somebody looks at the console on this device. */
async function show({ title, body = '', link, tag }: Content): Promise<void> {
  if ((await tabs()).some(({ focused }) => focused)) return
  await worker.registration.showNotification(title, { body, tag, data: link })
}

/** Opens a page in a tab that is there, otherwise in a new one. */
async function open(link: string): Promise<void> {
  const [tab] = await tabs()
  if (!tab) {
    await worker.clients.openWindow(link)
    return
  }
  tab.postMessage({ open: link })
  await tab.focus()
}

worker.addEventListener('install', () => {
  worker.skipWaiting().catch(() => undefined)
})
worker.addEventListener('push', (event) => {
  const { data, waitUntil } = event as Push
  const content = data?.json() as Content | undefined
  if (content) waitUntil.call(event, show(content))
})
worker.addEventListener('notificationclick', (event) => {
  const { notification, waitUntil } = event as Click
  notification.close()
  waitUntil.call(event, open(String(notification.data)))
})

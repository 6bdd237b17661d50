import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Browser, PushService } from '../support/push-service'
import { freePort } from '../support/ports'
import { World } from '../support/world'
import { launch, WHOLE_CHROMIUM } from './support/chromium'
import { LiveWorld } from './support/journey'
import { Relay } from './support/relay'

const hasCertificates = Bun.which('openssl') !== null

/** A key and a certificate for localhost. */
function certificate(): { key: string; cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-push-console-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const kind = ['-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost']
  Bun.spawnSync(['openssl', 'req', '-x509', ...kind, '-keyout', key, '-out', cert])
  try {
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Chromium reaches no push service here, so this one takes the place of the browser's. */
const subscribing = (browser: Browser): string => `
const subscription = {
  toJSON: () => (${JSON.stringify(browser.subscription)}),
  endpoint: ${JSON.stringify(browser.endpoint)},
  unsubscribe: async () => sessionStorage.removeItem('subscribed'),
}
PushManager.prototype.getSubscription = async () =>
  sessionStorage.getItem('subscribed') === null ? null : subscription
PushManager.prototype.subscribe = async () => {
  sessionStorage.setItem('subscribed', 'yes')
  return subscription
}`

describe.skipIf(WHOLE_CHROMIUM === null || !hasCertificates)('push notifications', () => {
  const service = new PushService()
  let live: LiveWorld
  let front: Relay

  beforeAll(async () => {
    const port = await freePort()
    const world = await World.create({
      startMs: Date.now(),
      tenants: 1,
      env: { BASE_URL: `https://localhost:${port}`, EGRESS_ALLOW: `127.0.0.1:${service.port}` },
    })
    // a service worker is registered only where the certificate is trusted
    live = new LiveWorld(world, await launch(['--ignore-certificate-errors'], WHOLE_CHROMIUM))
    front = new Relay(Number(new URL(world.url).port), { port, tls: certificate() })
  }, 60_000)

  afterAll(async () => {
    await live.stop()
    front.cut()
    await service.stop()
  })

  test('are switched on and off in the profile, and open their conversation', async () => {
    const { world } = live
    const baseURL = world.config.baseUrl
    const journey = await live.open({
      path: '/settings/profile',
      baseURL,
      permissions: ['notifications'],
    })
    const { page } = journey
    const own = new Browser(`${service.origin}/push/own`)
    await page.context().addInitScript(subscribing(own))
    await page.reload()
    await journey.signIn('admin')
    const name = 'Notify this browser while the console is closed'
    const isSwitched = (checked: boolean): Promise<void> =>
      page.getByRole('switch', { name, checked }).waitFor({ state: 'attached' })
    await page.getByText(name).click()
    await isSwitched(true)
    await world.eventually(() => world.rows('select 1 from push_subscriptions').length === 1)
    await journey.requireAccessible()

    const ana = world.simulator.customer({ phone: world.tenant.phoneId, name: 'Ana Sol' })
    await ana.says('Are you open today?')
    await world.eventually(() => service.received.length === 1)
    const content = own.decrypt(service.received[0]?.body ?? Buffer.of()) as { link: string }
    expect(content.link).toMatch(/^\/inbox\/[0-9a-f-]{36}$/)

    // the browser gives it to the worker, which shows it while nobody looks at the console
    const devtools = await page.context().newCDPSession(page)
    const registered = Promise.withResolvers<string>()
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [first] = registrations
      if (first) registered.resolve(first.registrationId)
    })
    await devtools.send('ServiceWorker.enable')
    const registrationId = await registered.promise
    const push = { origin: baseURL, registrationId, data: JSON.stringify(content) }
    await devtools.send('ServiceWorker.deliverPushMessage', push)
    await page.goto('about:blank')
    await devtools.send('ServiceWorker.deliverPushMessage', push)
    // asked in the worker: a page that shows the console again would keep it from showing
    const [worker] = page.context().serviceWorkers()
    const shownNow = (): Promise<unknown[]> =>
      worker?.evaluate(`registration.getNotifications()
        .then((all) => all.map(({ title, data, tag }) => [title, data, tag]))`) ??
      Promise.resolve([])
    let shown = await shownNow()
    while (shown.length === 0) shown = await shownNow()
    await page.goto('/settings/profile')
    await isSwitched(true)
    const { link } = content
    expect(shown).toEqual([['New message', link, link.slice('/inbox/'.length)]])

    await page.getByText(name).click()
    await isSwitched(false)
    expect(world.rows('select 1 from push_subscriptions')).toEqual([])
    await journey.finish()
  }, 60_000)
})

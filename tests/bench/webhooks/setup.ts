import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { ADMINS, APP_SECRET, Installation, signIn } from '../../chaos/installation'
import { startSimulator } from '../../../src/simulator/platform'
import type { Client } from '../../support/client'
import type { ServerProcess } from '../../support/process'
import { Watch, WATCHED } from '../hold-watch'
import type { Load } from '../load'
import { quantile } from '../probe'
import { postLoad, startYardstick } from '../processes'

const DRAIN_DEADLINE_MS = 120_000

/** What the receiver got since the last reset. */
export interface Arrived {
  count: number
  p50Ms: number
  p99Ms: number
}

/** A running server with a phone number, and a receiver beside it. */
export interface HooksBench {
  installation: Installation
  server: ServerProcess
  client: Client
  /** The longest hold of the server's thread, milliseconds. */
  watch: Watch
  /** Address of the receiver. */
  to: string
  arrived: () => Promise<Arrived>
  /** Waits until so many deliveries have arrived. Throws if they do not. */
  until: (count: number) => Promise<Arrived>
  forget: () => Promise<void>
  /** Waits until the server has processed what it was sent. */
  drained: () => Promise<void>
  /** Sends texts of customers, so many a second. */
  texts: (run: string, of: { perSecond: number; seconds: number }) => Promise<void>
}

/** Webhooks that are not processed yet and jobs that wait for a free slot, if there are any. */
const WAITING = `
  select 1 from inbound_staging union all
  select 1 from inbound_events where state in ('pending', 'processing') union all
  select 1 from jobs where state in ('available', 'executing') limit 1`

/** Runs `work` with a server and a receiver, over TLS if wanted; removes everything afterwards. */
export async function withHooks<T>(
  { isSecure }: { isSecure: boolean },
  work: (bench: HooksBench) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-tls-'))
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  if (isSecure) makeCertificate(files)
  await using receiver = await startYardstick('hooks-receiver.ts', folder, isSecure ? files : {})
  const to = isSecure ? receiver.url.replace('http:', 'https:') : receiver.url
  await using simulator = await startSimulator({ appSecret: APP_SECRET, phones: [] })
  const phone = simulator.addPhone({ wabaId: '201000000000001', token: 'token-1' })
  const installation = new Installation(
    {
      PLATFORM_BASE_URL: simulator.url,
      EGRESS_ALLOW: new URL(to).host,
      HOLDS_FILE: 'holds.json',
      ...(isSecure ? { NODE_EXTRA_CA_CERTS: files.cert } : {}),
    },
    WATCHED,
  )
  try {
    await using server = await installation.start()
    const client = await signIn(server.url, ADMINS[0])
    await client.post('/api/accounts', {
      name: 'Main',
      phone_id: phone.id,
      business_id: phone.wabaId,
      access_token: phone.token,
    })
    server.ignoreOutput()
    const load = (run: string, perSecond: number, seconds: number): Load => ({
      port: Number(new URL(server.url).port),
      connections: 16,
      count: perSecond * seconds,
      secret: APP_SECRET,
      lines: [
        {
          wabaId: phone.wabaId,
          phoneNumberId: phone.id,
          displayPhoneNumber: phone.displayPhoneNumber.replaceAll(/\D/g, ''),
        },
      ],
      run,
      perSecond,
    })
    const result = await work({
      installation,
      server,
      client,
      watch: new Watch(server, join(installation.folder, 'holds.json')),
      to,
      ...receiverAt(to),
      drained: async () => {
        using reading = installation.reading()
        while (reading.rows(WAITING).length > 0) await Bun.sleep(20)
      },
      texts: async (run, { perSecond, seconds }) =>
        void (await postLoad(load(run, perSecond, seconds))),
    })
    await server.stop()
    return result
  } finally {
    installation.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

function receiverAt(to: string): Pick<HooksBench, 'arrived' | 'until' | 'forget'> {
  const ask = (method: string): Promise<Response> =>
    fetch(to, { method, tls: { rejectUnauthorized: false } })
  const arrived = async (): Promise<Arrived> => {
    const { count, delaysMs } = (await (await ask('GET')).json()) as {
      count: number
      delaysMs: number[]
    }
    return { count, p50Ms: quantile(delaysMs, 0.5), p99Ms: quantile(delaysMs, 0.99) }
  }
  return {
    arrived,
    forget: async () => void (await ask('DELETE')),
    async until(count) {
      const deadlineMs = performance.now() + DRAIN_DEADLINE_MS
      for (;;) {
        const found = await arrived()
        if (found.count >= count) return found
        if (performance.now() > deadlineMs)
          throw new Error(`${found.count} of ${count} deliveries arrived`)
        await Bun.sleep(100)
      }
    },
  }
}

/** Adds endpoints of the receiver that get the events; `path` comes before their number. */
export async function addEndpoints(
  client: Client,
  { to, count, path = '', events }: { to: string; count: number; path?: string; events: string[] },
): Promise<string[]> {
  const ids: string[] = []
  for (let nth = 0; nth < count; nth += 1) {
    const { status, body, data } = await client.post('/api/webhooks', {
      name: `Endpoint ${path}${nth}`,
      url: `${to}/${path}${nth}`,
      events,
    })
    if (status !== 201) throw new Error(`endpoint refused: ${body.message}`)
    ids.push(String(data['id']))
  }
  return ids
}

/** A certificate for this machine that the server is told to trust. Needs openssl. */
function makeCertificate({ cert, key }: { cert: string; key: string }): void {
  const names = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const made = Bun.spawnSync(
    ['openssl', 'req', '-x509', ...kind, '-keyout', key, '-out', cert, ...names],
    { stdout: 'ignore', stderr: 'pipe' },
  )
  if (made.exitCode !== 0) throw new Error(`openssl failed: ${made.stderr.toString()}`)
}

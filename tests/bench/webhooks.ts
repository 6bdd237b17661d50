import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { ADMINS, APP_SECRET, Installation, signIn } from '../chaos/installation'
import { startSimulator } from '../simulator/platform'
import type { Client } from '../support/client'
import type { ServerProcess } from '../support/process'
import { probe, stretchTable, type Stretch } from './probe'
import { cpuUsOf, postLoad, startYardstick } from './processes'
import { machineOf, save } from './report'

const ENDPOINTS = 8
/** Texts a second: each is one delivery to each endpoint. */
const TEXTS_A_SECOND = 100
const SECONDS = 10
const DRAIN_DEADLINE_MS = 120_000

interface Run {
  stretch: Stretch
  cpuUs: number
  tookMs: number
}

/**
 * Measures deliveries a second over TLS to eight endpoints that answer in 20 ms, and the processor
 * time of each: that of the same texts without endpoints is taken off. Prints a table, `isSaved`
 * writes it to `results`. The first word replaces the texts a second.
 */
export async function benchWebhooks(options: { isSaved: boolean; words: string[] }): Promise<void> {
  const perSecond = Number(options.words[0] ?? TEXTS_A_SECOND)
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-tls-'))
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  makeCertificate(files)
  await using receiver = await startYardstick('hooks-receiver.ts', folder, files)
  const to = receiver.url.replace('http:', 'https:')
  await using simulator = await startSimulator({ appSecret: APP_SECRET, phones: [] })
  const phone = simulator.addPhone({ wabaId: '201000000000001', token: 'token-1' })
  const installation = new Installation({
    PLATFORM_BASE_URL: simulator.url,
    EGRESS_ALLOW: new URL(to).host,
    NODE_EXTRA_CA_CERTS: files.cert,
  })
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
    const arrived = async (): Promise<number> =>
      Number(await (await fetch(to, { tls: { rejectUnauthorized: false } })).text())
    const line = {
      wabaId: phone.wabaId,
      phoneNumberId: phone.id,
      displayPhoneNumber: phone.displayPhoneNumber.replaceAll(/\D/g, ''),
    }
    const load = (run: string) => ({
      port: Number(new URL(server.url).port),
      connections: 16,
      count: perSecond * SECONDS,
      secret: APP_SECRET,
      lines: [line],
      run,
      perSecond,
    })
    const during = async (when: string, work: () => Promise<unknown>): Promise<Run> =>
      await measure({ server, client, when }, work)
    await during('warming up', () => postLoad({ ...load('warm'), count: perSecond * 5 }))
    const without = await during('without endpoints', () => postLoad(load('without')))
    await addEndpoints(client, to)
    const wanted = perSecond * SECONDS * ENDPOINTS
    const beside = await during('with eight endpoints', async () => {
      await postLoad(load('with'))
      const deadlineMs = performance.now() + DRAIN_DEADLINE_MS
      while ((await arrived()) < wanted && performance.now() < deadlineMs) await Bun.sleep(50)
    })
    const count = await arrived()
    if (count < wanted) throw new Error(`${count} of ${wanted} deliveries arrived`)
    const eachUs = (beside.cpuUs - without.cpuUs) / count
    const report = [
      machineOf(installation.folder),
      '',
      `${count} deliveries over TLS to ${ENDPOINTS} endpoints that answer in 20 ms, ${perSecond * ENDPOINTS} a second asked for: ${Math.round((count / beside.tookMs) * 1_000)} a second, ${Math.round(eachUs)} µs of processor time each.`,
      '',
      stretchTable([without.stretch, beside.stretch]),
    ].join('\n')
    console.log(`\n${report}`)
    if (options.isSaved) save('webhooks', report)
    await server.stop()
  } finally {
    installation.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(
  { server, client, when }: { server: ServerProcess; client: Client; when: string },
  work: () => Promise<unknown>,
): Promise<Run> {
  const [startedMs, startedUs] = [performance.now(), cpuUsOf(server.pid)]
  const stretch = await probe(client, when, work())
  return { stretch, tookMs: performance.now() - startedMs, cpuUs: cpuUsOf(server.pid) - startedUs }
}

async function addEndpoints(client: Client, to: string): Promise<void> {
  for (let nth = 0; nth < ENDPOINTS; nth += 1) {
    const { status, body } = await client.post('/api/webhooks', {
      name: `Endpoint ${nth}`,
      url: `${to}/${nth}`,
      events: ['message.received'],
    })
    if (status !== 201) throw new Error(`endpoint refused: ${body.message}`)
  }
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

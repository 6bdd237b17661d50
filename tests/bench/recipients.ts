import { readFileSync } from 'node:fs'

import { ADMINS, APP_SECRET, Installation, signIn } from '../chaos/installation'
import { startSimulator } from '../../src/simulator/platform'
import type { Client, Loose } from '../support/client'
import { upload } from '../support/files'
import { machineOf, save } from './report'

const ROWS = 100_000

/** What the memory of the server grows by while one file is brought in, MiB, its peak included. */
const MAX_GROWTH_MIB = 300

/**
 * Measures recipients that are brought into a campaign by files of 100,000 rows, as CSV and as
 * JSON: how long they take, and the memory of the server before, at its peak and after. Throws when
 * one of them is missing afterwards, or when the memory grows by more than a part of what the files
 * hold.
 */
export async function benchRecipients(options: { isSaved: boolean }): Promise<void> {
  await using simulator = await startSimulator({ appSecret: APP_SECRET, phones: [] })
  const phone = simulator.addPhone({ wabaId: '201000000000001', token: 'token-1' })
  const installation = new Installation({ PLATFORM_BASE_URL: simulator.url, RATE_BULK: '0' })
  try {
    await using server = await installation.start()
    server.ignoreOutput()
    const client = await signIn(server.url, ADMINS[0])
    const id = await draft(client, {
      ...phone,
      keep: (template) => void simulator.keepTemplate(template),
    })
    const lines = [
      `| file of ${ROWS.toLocaleString('en-US')} | size | all there after | rows/s | memory before | peak | after |`,
      '| --- | --- | --- | --- | --- | --- | --- |',
    ]
    for (const [nth, name] of ['people.csv', 'people.json'].entries()) {
      const bytes = name === 'people.csv' ? csvOf(15_560_000_000) : jsonOf(15_570_000_000)
      const before = rssMibOf(server.pid)
      let peak = before
      const watch = setInterval(() => (peak = Math.max(peak, rssMibOf(server.pid))), 50)
      const startedMs = performance.now()
      const { data } = await upload(client, {
        bytes,
        name,
        path: `/api/campaigns/${id}/recipients/import`,
      })
      const done = await finished(client, String(data['id']))
      const tookMs = performance.now() - startedMs
      clearInterval(watch)
      const after = rssMibOf(server.pid)
      const mib = (value: number): string => `${value.toFixed(0)} MiB`
      lines.push(
        `| ${name.slice(7).toUpperCase()} | ${mib(bytes.length / 2 ** 20)} | ${(tookMs / 1_000).toFixed(1)} s | ${Math.round((ROWS / tookMs) * 1_000)} | ${mib(before)} | ${mib(peak)} | ${mib(after)} |`,
      )
      const { data: campaign } = await client.get(`/api/campaigns/${id}`)
      if (done['created'] !== ROWS || campaign['total_recipients'] !== ROWS * (nth + 1))
        throw new Error(`not everybody is there: ${JSON.stringify(done)}`)
      if (peak - before > MAX_GROWTH_MIB)
        throw new Error(`the memory grew by ${mib(peak - before)}`)
    }
    const report = [machineOf(installation.folder), '', ...lines].join('\n')
    console.log(`\n${report}\n`)
    if (options.isSaved) save('recipients', report)
    await server.stop()
  } finally {
    installation.remove()
  }
}

const BODY = {
  type: 'BODY',
  text: 'Hello {{1}}, we have news for you today.',
  example: { body_text: [['Ann']] },
}

async function draft(
  client: Client,
  phone: {
    id: string
    wabaId: string
    token: string
    keep: (template: Parameters<typeof keepOf>[0]) => void
  },
): Promise<string> {
  const account = {
    name: 'Main',
    phone_id: phone.id,
    business_id: phone.wabaId,
    access_token: phone.token,
  }
  const account_id = (await client.post('/api/accounts', account)).data['id']
  phone.keep(keepOf({ name: 'news', language: 'en', category: 'MARKETING', components: [BODY] }))
  await client.post('/api/templates/sync', {})
  const [template] = (await client.get('/api/templates')).data['items'] as Loose[]
  return String(
    (
      await client.post('/api/campaigns', {
        name: 'News',
        account_id,
        template_id: template?.['id'],
      })
    ).data['id'],
  )
}

const keepOf = (template: {
  name: string
  language: string
  category: string
  components: Loose[]
}) => template

const people = <T>(first: number, make: (number: string, nth: number) => T): T[] =>
  Array.from({ length: ROWS }, (_, nth) => make(String(first + nth), nth))

const csvOf = (first: number): Uint8Array =>
  new TextEncoder().encode(
    `Phone,1,Name\n${people(first, (number, nth) => `${number},Ms Ann ${nth},"Person, ${nth}"`).join('\n')}\n`,
  )

const jsonOf = (first: number): Uint8Array =>
  new TextEncoder().encode(
    JSON.stringify(
      people(first, (phone_number, nth) => ({
        phone_number,
        recipient_name: `Person, ${nth}`,
        template_params: { '1': `Ms Ann ${nth}` },
      })),
    ),
  )

const rssMibOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024

async function finished(client: Client, id: string): Promise<Loose> {
  for (;;) {
    const { data } = await client.get(`/api/imports/${id}`)
    if (data['finished_at'] !== null) return data
    await Bun.sleep(100)
  }
}

import { Database } from 'bun:sqlite'

import { SAMPLES } from '../../../src/simulator/sample-files'
import type { Client, Loose } from '../../support/client'
import { upload } from '../../support/files'
import { each, FIRST_CUSTOMER, onRig, remarkOf, type Rig } from './rig'

/** What is said in a sample: messages of customers, and answers with three statuses each. */
export interface SampleShape {
  customers: number
  texts: number
  answers: number
}

/** One message of so many has a file. */
const IMAGE_EVERY = 20
const WRITERS = 8
const DEADLINE_MS = 60_000

/**
 * Lets customers write to the real server in rounds and answers them. Copies its database before,
 * and when all that follows is done.
 */
export const writeSample = (
  shape: SampleShape,
  copies: { before: string; after: string },
): Promise<void> =>
  onRig(async (rig) => {
    const { customers, texts, answers } = shape
    await rig.platform.tell({ statuses: ['sent', 'delivered', 'read'] })
    await rig.settled()
    copy(rig, copies.before)
    const rounds = Math.ceil(texts / customers)
    for (let round = 0; round < rounds; round += 1) {
      await letWrite(rig, round * customers, shape)
      const ids = await contactsByNumber(rig.admin)
      const share = (part: number): number => Math.floor((answers * part) / rounds)
      const first = share(round)
      await each(share(round + 1) - first, WRITERS, (offset) =>
        answer(rig.admin, ids[(first + offset) % customers] ?? '', first + offset),
      )
      await rig.settled()
    }
    await untilRead(rig, answers)
    copy(rig, copies.after)
  })

function copy({ installation }: Rig, path: string): void {
  const database = new Database(installation.databasePath)
  database.run('vacuum into ?', [path])
  database.close()
}

async function letWrite(rig: Rig, first: number, { customers, texts }: SampleShape): Promise<void> {
  const remarks = Array.from({ length: Math.min(customers, texts - first) }, (_, nth) =>
    remarkOf(first + nth, { customers, imageEvery: IMAGE_EVERY }),
  )
  await rig.platform.tell({ remarks })
  await rig.settled()
}

/** The ids of the contacts, in the order of their numbers. */
async function contactsByNumber(admin: Client): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | null = null
  do {
    const { data }: { data: Loose } = await admin.get(
      `/api/contacts?limit=100${cursor === null ? '' : `&cursor=${cursor}`}`,
    )
    for (const { id, wa_id } of data['items'] as Loose[])
      ids[Number(wa_id) - FIRST_CUSTOMER] = String(id)
    cursor = (data['next_cursor'] as string | null | undefined) ?? null
  } while (cursor !== null)
  return ids
}

async function answer(admin: Client, contactId: string, nth: number): Promise<void> {
  const text = `Thank you. Order ${7_800_000_000 + nth} left our house this morning.`
  let message: Loose = { type: 'text', text }
  if (nth % IMAGE_EVERY === 0) {
    const { data } = await upload(admin, { bytes: SAMPLES['image/jpeg'], type: 'image/jpeg' })
    message = { type: 'image', media_id: data['id'], caption: text }
  }
  const { status } = await admin.post(`/api/contacts/${contactId}/messages`, message)
  if (status !== 201) throw new Error(`an answer was answered ${status}`)
}

async function untilRead({ installation, settled }: Rig, answers: number): Promise<void> {
  const deadlineMs = performance.now() + DEADLINE_MS
  const read = (): number =>
    installation.rows<{ n: number }>(
      "select count(*) as n from messages where direction = 'outgoing' and status = 'read'",
    )[0]?.n ?? 0
  while (read() < answers) {
    if (performance.now() > deadlineMs) throw new Error(`${read()} of ${answers} were read`)
    await Bun.sleep(50)
  }
  await settled()
}

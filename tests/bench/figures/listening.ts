/**
 * Holds sockets open, posts texts and hears what comes of them: one order a line in, one result a
 * line out. A process of its own.
 */
import { textMessage } from '../../../src/simulator/payloads'
import { platformJson, signatureOf } from '../../../src/simulator/signing'
import { obey } from '../partner'
import type { Heard, Order } from './listeners'

/** Of so many sockets one is listened to closely. */
const SAMPLED = 100
/** Texts on their way at the same time. */
const IN_FLIGHT = 4
const DEADLINE_MS = 60_000

let urls: string[] = []
let secret = ''
let frames = 0
let bytes = 0
let broken: string | null = null
let hear: (sample: number, text: string) => void = () => undefined

const open = (url: string, nth: number): Promise<void> => {
  const opened = Promise.withResolvers<void>()
  const socket = new WebSocket(url)
  const sample = nth % SAMPLED === 0 ? nth / SAMPLED : null
  socket.onopen = () => opened.resolve()
  socket.onerror = () => opened.reject(new Error('a socket was refused'))
  socket.onclose = ({ code }) => (broken = `a socket was closed with ${code}`)
  socket.onmessage = ({ data }) => {
    const text = String(data)
    frames += 1
    bytes += text.length
    if (sample !== null) hear(sample, text)
  }
  return opened.promise
}

/** When each text was sent, and by how many of those listened to closely it was heard. */
class Texts {
  readonly sentMs = new Map<string, number>()
  readonly latencies: number[] = []
  private readonly heardBy = new Map<string, number>()
  private readonly samples = Math.ceil(urls.length / SAMPLED)
  private wake: () => void = () => undefined

  heard = (_sample: number, text: string): void => {
    if (!text.includes('"message:new"')) return
    const marker = /#([\w-]+\.\d+)#/.exec(text)?.[1]
    const sentMs = marker === undefined ? undefined : this.sentMs.get(marker)
    if (marker === undefined || sentMs === undefined) return
    this.latencies.push(performance.now() - sentMs)
    const by = (this.heardBy.get(marker) ?? 0) + 1
    this.heardBy.set(marker, by)
    if (by === this.samples) {
      this.whole += 1
      this.wake()
    }
  }

  /** Texts heard by all. */
  whole = 0

  /** Waits until fewer than so many texts are on their way. */
  async roomFor(most: number): Promise<void> {
    const deadlineMs = performance.now() + DEADLINE_MS
    while (this.sentMs.size - this.whole >= most) {
      if (broken !== null) throw new Error(broken)
      if (performance.now() > deadlineMs)
        throw new Error(`only ${this.whole} of ${this.sentMs.size} texts were heard`)
      await new Promise<void>((resolve) => {
        this.wake = resolve
        setTimeout(resolve, 100)
      })
    }
  }
}

async function post(url: string, body: string): Promise<void> {
  const headers = {
    'content-type': 'application/json',
    'x-hub-signature-256': signatureOf(secret, body),
  }
  const response = await fetch(url, { method: 'POST', headers, body })
  if (!response.ok) throw new Error(`a text was answered ${response.status}`)
  await response.text()
}

async function listen(order: Order): Promise<Heard> {
  const texts = new Texts()
  hear = texts.heard
  ;[frames, bytes] = [0, 0]
  const posting: Promise<void>[] = []
  const startedMs = performance.now()
  for (let nth = 0; nth < order.texts; nth += 1) {
    if (order.framesPerSecond !== undefined)
      await Bun.sleep(
        Math.max(
          0,
          startedMs +
            ((nth * (order.framesPerText ?? 1)) / order.framesPerSecond) * 1_000 -
            performance.now(),
        ),
      )
    await texts.roomFor(order.framesPerSecond === undefined ? IN_FLIGHT : Infinity)
    const marker = `${order.run}.${nth}`
    const person = {
      waId: String(15_570_000_000 + (nth % 50)),
      userId: `US.9${nth % 50}`,
      name: `Customer ${nth % 50}`,
    }
    const body = platformJson(
      textMessage(`#${marker}#`, {
        line: order.line,
        person,
        id: `wamid.${marker}`,
        timestamp: Math.floor(Date.now() / 1_000),
      }),
    )
    texts.sentMs.set(marker, performance.now())
    const posted = post(order.url, body)
    if (order.framesPerSecond === undefined) await posted
    else posting.push(posted)
  }
  await Promise.all(posting)
  await texts.roomFor(1)
  const tookMs = performance.now() - startedMs
  const latencies = texts.latencies.toSorted((a, b) => a - b)
  return {
    perSecond: frames / (tookMs / 1_000),
    bytes: Math.round(bytes / Math.max(1, frames)),
    framesPerText: frames / urls.length / order.texts,
    p50Ms: latencies[Math.floor(latencies.length * 0.5)] ?? 0,
    p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
  }
}

/** Opens the sockets, a hundred at a time. */
async function openAll(first: { urls: string[]; secret: string }): Promise<void> {
  ;({ urls, secret } = first)
  for (let from = 0; from < urls.length; from += 100)
    await Promise.all(urls.slice(from, from + 100).map((url, at) => open(url, from + at)))
}

await obey<{ urls: string[]; secret: string } | Order>((order) =>
  'urls' in order ? openAll(order) : listen(order),
)

/**
 * Holds sockets open, posts texts and hears what comes of them: one order a line in, one result a
 * line out. A process of its own.
 */
import { textMessage } from '../../simulator/payloads'
import { platformJson, signatureOf } from '../../simulator/signing'
import type { Heard, Order } from './listeners'

/** Of so many sockets one is listened to closely. */
const SAMPLED = 100
/** Texts on their way at the same time. */
const IN_FLIGHT = 4
const DEADLINE_MS = 60_000

const orders = console[Symbol.asyncIterator]()
const { urls, secret } = JSON.parse((await orders.next()).value as string) as {
  urls: string[]
  secret: string
}
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

async function obey(order: Order): Promise<Heard> {
  const texts = new Texts()
  hear = texts.heard
  ;[frames, bytes] = [0, 0]
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
    const headers = {
      'content-type': 'application/json',
      'x-hub-signature-256': signatureOf(secret, body),
    }
    const response = await fetch(order.url, { method: 'POST', headers, body })
    if (!response.ok) throw new Error(`a text was answered ${response.status}`)
    await response.text()
  }
  await texts.roomFor(1)
  const tookMs = performance.now() - startedMs
  const latencies = texts.latencies.toSorted((a, b) => a - b)
  return {
    perSecond: frames / (tookMs / 1_000),
    bytes: Math.round(bytes / Math.max(1, frames)),
    framesPerText: frames / urls.length / order.texts,
    p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
  }
}

for (let first = 0; first < urls.length; first += 100)
  await Promise.all(urls.slice(first, first + 100).map((url, at) => open(url, first + at)))
console.log('open')
for (let line = await orders.next(); !line.done; line = await orders.next())
  console.log(JSON.stringify(await obey(JSON.parse(line.value) as Order)))

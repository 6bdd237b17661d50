import type { Call } from './calls'
import type { Customer } from './customers'
import { pick, seededRandom } from './random'
import { isObject } from './rules'
import { Timers } from './timers'

/** Settings of the customers' activity. */
export type LivelinessOptions = {
  customers: readonly Customer[]
  /** Mean interval between unprompted messages, in milliseconds. */
  everyMs?: number
  /** Mean time until a customer replies, in milliseconds. */
  answerMs?: number
  seed?: number
  /** What they say; by default something in one of several languages. */
  voice?: Voice
  /** Stops after this many unprompted messages. */
  atMost?: number
}

/** What customers do by themselves, and when they have read a message without choices. */
export type Voice = {
  opens: (customer: Customer) => Promise<unknown>
  answers: (customer: Customer, call: Call) => Promise<unknown>
}

/** Active customers, until stopped. */
export type Liveliness = { readonly remarks: number; readonly answers: number; stop(): void }

const OPENERS = [
  'Hello! Are you open today?',
  'Do you have it in blue? 👕',
  '¿Cuánto cuesta el envío a Bogotá?',
  'My order has not arrived yet.',
  'Bonjour, est-ce encore disponible ?',
  'Can I change the delivery address?',
  'مرحبا، هل يمكنني الحجز؟',
  'I would like a table for two.',
]
const REPLIES = [
  'Thanks!',
  'Great 👍',
  'Okay, when?',
  'Perfect, gracias',
  'Could you send me a photo?',
  'Hmm, I will think about it.',
]
const MANY = 1000

type Scene = { random: () => number; listening: ReadonlyMap<string, Customer>; voice: Voice }

/** A customer whose webhook could not be posted writes again later. */
const ignoreFailure = (): void => undefined

const partOf = (value: unknown, key: string): unknown => (isObject(value) ? value[key] : undefined)

/** Lets customers write and reply at random times by a seeded random generator, until stopped. */
export function startLiveliness(
  options: LivelinessOptions,
  onAccepted: (listener: (call: Call) => void) => () => void,
): Liveliness {
  const random = seededRandom(options.seed ?? 7)
  const timers = new Timers()
  const counts = { remarks: 0, answers: 0, waiting: 0, stopped: false }
  const listening = new Map(
    options.customers.flatMap((customer) =>
      [customer.waId, customer.userId]
        .filter((key) => key !== undefined)
        .map((key) => [`${customer.phone} ${key}`, customer] as const),
    ),
  )
  const scene: Scene = { random, listening, voice: options.voice ?? anybody(random) }
  const wait = (mean: number): number => Math.round(mean * (0.5 + random()))

  const speak = (): void => {
    if (counts.stopped || counts.remarks >= (options.atMost ?? Infinity)) return
    const customer = pick(random, options.customers)
    if (customer === undefined) return
    counts.remarks += 1
    scene.voice.opens(customer).catch(ignoreFailure)
    timers.after(wait(options.everyMs ?? 2000), speak)
  }
  const forget = onAccepted((call) => {
    if (counts.stopped || counts.waiting >= MANY) return
    counts.waiting += 1
    timers.after(wait(options.answerMs ?? 1500), () => {
      counts.waiting -= 1
      if (counts.stopped) return
      counts.answers += 1
      respond(scene, call).catch(ignoreFailure)
    })
  })
  timers.after(wait(options.everyMs ?? 2000), speak)
  return {
    get remarks(): number {
      return counts.remarks
    },
    get answers(): number {
      return counts.answers
    },
    stop: () => {
      counts.stopped = true
      timers.clear()
      forget()
    },
  }
}

async function remark(customer: Customer, random: () => number): Promise<void> {
  const chance = random()
  if (chance < 0.8) await customer.says(pick(random, OPENERS) ?? 'Hello')
  else if (chance < 0.9) await customer.sends({ type: 'image', caption: 'Like this one' })
  else
    await customer.sharesLocation({
      latitude: 4.65 + random() / 100,
      longitude: -74.05 - random() / 100,
      name: 'My place',
    })
}

/** Reads a message, then taps, selects, reacts or writes, depending on the message. */
async function respond(scene: Scene, call: Call): Promise<void> {
  const customer = scene.listening.get(`${call.object} ${call.recipient}`)
  if (customer === undefined || call.wamid === undefined) return
  await customer.reads(call.wamid)
  const around = { replyTo: call.wamid }
  const choice = choiceIn(call.body, scene.random)
  if (choice?.kind === 'button') await customer.taps(choice.id, choice.title, around)
  else if (choice?.kind === 'row') await customer.picks(choice.id, choice.title, around)
  else await scene.voice.answers(customer, call)
}

/** The texts of customers who have none of their own. */
const anybody = (random: () => number): Voice => ({
  opens: (customer) => remark(customer, random),
  answers: async (customer, { wamid }) => {
    if (random() < 0.2 && wamid !== undefined) await customer.reacts(wamid, '👍')
    else if (random() < 0.6) await customer.says(pick(random, REPLIES) ?? 'Thanks!')
  },
})

type Choice = { kind: 'button' | 'row'; id: string; title: string }

function choiceIn(body: unknown, random: () => number): Choice | undefined {
  const action = partOf(partOf(body, 'interactive'), 'action')
  const buttons = partOf(action, 'buttons')
  if (Array.isArray(buttons)) return choiceOf('button', partOf(pick(random, buttons), 'reply'))
  const sections = partOf(action, 'sections')
  const rows = Array.isArray(sections)
    ? sections.flatMap((section: unknown) => partOf(section, 'rows') ?? [])
    : []
  return choiceOf('row', pick(random, rows))
}

function choiceOf(kind: 'button' | 'row', item: unknown): Choice | undefined {
  const [id, title] = [partOf(item, 'id'), partOf(item, 'title')]
  return typeof id === 'string' && typeof title === 'string' ? { kind, id, title } : undefined
}

import { parseArgs } from 'node:util'
import { startSimulator } from '../../src/simulator/platform'
import type { Simulator } from '../../src/simulator/platform'
import type { SimulatorOptions } from '../../src/simulator/setup'

const HELP = `Plays the messaging platform: its Graph API, its webhooks and its customers.

bun tests/simulator/main.ts [options]
  --port <n>          where to listen (any free port)
  --callback <url>    where webhooks go, for example http://localhost:8080/api/webhook
  --secret <text>     the app secret webhooks are signed with
  --phone <id>        the phone number id, repeatable
  --token <text>      the access token of these numbers
  --waba <id>         the id of their account
  --number <number>   the number people see of the first one
  --seed <n>          chance and ids follow from it
  --customers <n>     so many customers talk by themselves
  --every <ms>        mean time between two of their remarks
  --reads             customers read what they get
  --lenient           takes templates and files nobody handed in, and any message outside the 24 hours
`

function readArguments() {
  return parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      callback: { type: 'string' },
      secret: { type: 'string' },
      phone: { type: 'string', multiple: true },
      token: { type: 'string' },
      waba: { type: 'string' },
      number: { type: 'string' },
      seed: { type: 'string' },
      customers: { type: 'string', default: '0' },
      every: { type: 'string', default: '2000' },
      reads: { type: 'boolean', default: false },
      lenient: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  }).values
}

type Arguments = ReturnType<typeof readArguments>

function optionsFrom(given: Arguments): SimulatorOptions {
  const shared = {
    ...(given.token === undefined ? {} : { token: given.token }),
    ...(given.waba === undefined ? {} : { wabaId: given.waba }),
  }
  const ids: (string | undefined)[] = given.phone ?? [undefined]
  const phones = ids.map((id, index) => ({
    ...shared,
    ...(id === undefined ? {} : { id }),
    ...(index === 0 && given.number !== undefined ? { displayPhoneNumber: given.number } : {}),
  }))
  return {
    port: Number(given.port),
    phones,
    // IDs must differ from those of an earlier run, which the server under test may still know.
    seed: given.seed === undefined ? Date.now() : Number(given.seed),
    statuses: given.reads ? ['sent', 'delivered', 'read'] : ['sent', 'delivered'],
    concurrency: 8,
    enforceWindow: !given.lenient,
    onlyKeptTemplates: !given.lenient,
    onlyUploads: !given.lenient,
    ...(given.callback === undefined ? {} : { callbackUrl: given.callback }),
    ...(given.secret === undefined ? {} : { appSecret: given.secret }),
  }
}

function bringToLife(simulator: Simulator, given: Arguments): void {
  const names = [
    'Ana Sol',
    'Leo Brandt',
    'Zoë Müller',
    'Omar Haddad',
    'Mei Chen',
    'Ivy Stone',
    'Luís Prado',
    'Noor Aziz',
  ]
  const { phones } = simulator
  const customers = Array.from({ length: Math.min(1000, Number(given.customers)) }, (_, index) =>
    simulator.customer({
      phone: phones[index % phones.length]?.id ?? simulator.phone.id,
      name: names[index % names.length] ?? 'Ana Sol',
    }),
  )
  if (customers.length > 0) simulator.live({ customers, everyMs: Number(given.every) })
}

async function main(): Promise<void> {
  const given = readArguments()
  if (given.help) return console.log(HELP)
  const simulator = await startSimulator(optionsFrom(given))
  for (const wabaId of new Set(simulator.phones.map((phone) => phone.wabaId)))
    simulator.keepTemplate({ name: 'hello_world' }, wabaId)
  console.log(
    `The platform is played at ${simulator.url}, for example ${simulator.url}/v25.0/${simulator.phone.id}/messages`,
  )
  console.log(
    `Access token ${simulator.phone.token}, app secret ${simulator.appSecret}, calls at ${simulator.url}/_simulator/calls`,
  )
  bringToLife(simulator, given)
  const stop = (): void => {
    simulator.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}

await main()

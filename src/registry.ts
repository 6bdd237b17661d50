import type { Module } from './http/module'
import type { Schedule } from './infra/jobs/define-schedule'
import type { Gate, Work } from './infra/jobs/work'
import { mailWorkers } from './infra/mail/workers'
import type { Subscription } from './infra/outbox/subscribe'
import { INFRA_TABLES, type TableFate } from './infra/table-fates'
import type { HookHandler } from './infra/transaction-hooks'
import { MODULES } from './modules'

/**
 * All asynchronous work of the program: jobs with their work, subscribers, schedules, and
 * transaction hooks. And all tables, lower modules first.
 */
export interface Registry {
  workers: Work[]
  schedules: Schedule[]
  subscribers: Subscription[]
  hooks: HookHandler[]
  gates: Gate[]
  tables: TableFate[]
}

/**
 * Collects the lists of all modules. Throws if two jobs have the same name, or if a scheduled or
 * subscribed job has no worker.
 */
export function createRegistry(): Registry {
  const modules: Module<never>[] = MODULES
  const workers: Work[] = [...mailWorkers, ...modules.flatMap((module) => module.workers ?? [])]
  const schedules = modules.flatMap((module) => module.schedules ?? [])
  const subscribers = modules.flatMap((module) => module.subscribers ?? [])
  requireOneWorkerPerJob(workers, [...schedules, ...subscribers])
  return {
    workers,
    schedules,
    subscribers,
    hooks: modules.flatMap((module) => module.hooks ?? []),
    gates: modules.flatMap((module) => module.gates ?? []),
    tables: [...INFRA_TABLES, ...modules.flatMap((module) => module.tables ?? [])],
  }
}

function requireOneWorkerPerJob(workers: Work[], uses: { job: { name: string } }[]): void {
  const names = workers.map(({ name }) => name)
  const doubled = names.find((name, index) => names.indexOf(name) !== index)
  if (doubled !== undefined) throw new Error(`two workers are for the job ${doubled}`)
  const orphan = uses.find(({ job }) => !names.includes(job.name))
  if (orphan !== undefined) throw new Error(`the job ${orphan.job.name} has no worker`)
}

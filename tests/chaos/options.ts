import type { Trouble } from './troubles'

/** What is done to the server: so many kills, then these troubles, one after the other. */
export interface Options {
  seed: number
  kills: number
  troubles?: Trouble[]
  /** How much comes in and goes out, as a share of the usual; 1 unless said. */
  load?: number
  /**
   * What must have been acknowledged before the server is killed for the first time: nothing unless
   * said.
   */
  least?: { webhooks: number; sends: number }
  /** How the server is started: as always unless said. */
  command?: string[]
  /** Where its data lies; in the system's folder for such things unless said. */
  within?: string
}

/** What one round of kills came to. */
export interface Report {
  seed: number
  kills: number
  killsWhileStarting: number
  acknowledged: number
  reposted: number
  messages: number
  sends: number
  campaigns: number
  framesHeard: number
  tookS: number
  /** What was wrong, one sentence each; empty when all is well. */
  faults: string[]
}

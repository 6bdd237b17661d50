import type { BotFlow } from '../../api/shapes'
import type { Written } from './model/graph'
import type { History } from './model/history'
import type { Clash } from './model/merge'
import type { Problem } from './model/problems'

/** What the editor shows of a flow. */
export interface State {
  /** The flow as it is stored, without what was changed since. */
  flow: BotFlow
  history: History
  saving: 'saved' | 'changed' | 'saving' | 'failed'
  /** Why it could not be saved. */
  error: Error | null
  /** What somebody else changed to something else meanwhile. */
  clashes: readonly Clash[]
  problems: readonly Problem[]
  /** How often another version took the place of the whole flow, which is shown from edge to edge then. */
  replaced: number
}

/** A problem as the server names it. */
export interface Found {
  path: string
  message: string
}

/** How the server is asked. */
export interface Server {
  /** Stores the draft. Throws ApiError `changed_meanwhile` with what is stored now. */
  save: (graph: Written, ifMatch: string) => Promise<BotFlow>
  /** Loads what is stored now. */
  load: () => Promise<BotFlow>
  check: (graph: Written) => Promise<{ errors: Found[]; warnings: Found[] }>
  /** Tells the person that somebody else changed the flow, and that nothing was lost. */
  onJoined: () => void
}

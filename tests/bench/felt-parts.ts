import { measureCampaign } from './side/campaign'
import { measureFrames } from './side/frames'
import { measureMemory } from './side/memory'
import type { PartResult } from './side/part'
import { measureReads } from './side/reads'
import { measureStatuses } from './side/statuses'
import { measureTexts } from './side/texts'

/** What people feel: reading, hearing of a message, sending to many, and what a server takes. */
export const FELT = {
  reads: () => measureReads(),
  million: () => measureReads('million'),
  frames: measureFrames,
  campaign: measureCampaign,
  memory: measureMemory,
  texts: measureTexts,
  statuses: measureStatuses,
} satisfies Record<string, () => Promise<PartResult>>

/** A part by name. */
export type FeltPart = keyof typeof FELT

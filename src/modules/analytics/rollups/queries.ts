import type { Ctx } from '../../../infra/ctx'

/** Whether the counters of the organization are being counted again from the stored facts. */
export const isRebuilding = (_ctx: Ctx): boolean => false

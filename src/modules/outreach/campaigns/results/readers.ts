import { reader } from '../../../../infra/read/reader'
import { funnelOf } from './funnel'

/** Counts the results of a campaign by hour or day (`funnelOf`). */
export const ReadFunnel = reader('campaigns.funnel', 'long', funnelOf)

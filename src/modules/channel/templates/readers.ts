import { reader } from '../../../infra/read/reader'
import { templateStats } from './stats'

/** Counts the messages sent with a template (`templateStats`). */
export const ReadTemplateStats = reader('templates.stats', 'long', templateStats)

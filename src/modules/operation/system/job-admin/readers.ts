import { reader } from '../../../../infra/read/reader'
import { jobPage } from './queries'

/** Lists a page of jobs (`jobPage`). Reads all of them for the counts. */
export const ListJobs = reader('jobs.list', 'long', jobPage)

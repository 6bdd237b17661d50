import { reader } from '../../../../infra/read/reader'
import { jobKinds, jobPage } from './queries'

/** Lists a page of jobs (`jobPage`). Reads all of them for the counts. */
export const ListJobs = reader('jobs.list', 'long', jobPage)

/** Counts jobs by their kind (`jobKinds`). */
export const CountKinds = reader('jobs.kinds', 'long', jobKinds)

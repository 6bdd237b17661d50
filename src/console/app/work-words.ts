import type { Work } from '../api/shapes'
import { findText, t } from '../texts/texts'

/** What work is called, such as "Import of people.csv". */
export const nameOfWork = ({ kind, title }: Pick<Work, 'kind' | 'title'>): string =>
  t(`shell.work.${kind}`, { title: findText(`shell.work.title.${title}`) ?? title })

/** What became of work, such as "Done: Import of people.csv"; `null` while it is under way. */
export const endOfWork = (work: Pick<Work, 'kind' | 'title' | 'state'>): string | null =>
  work.state === 'running' ? null : t(`shell.work.state.${work.state}`, { work: nameOfWork(work) })

import type { Step } from '../../parts/wizard'
import { t } from '../../texts/texts'

/** A step before a file is checked. */
export type StepId = 'file' | 'columns' | 'known'

/** What stands in the way of the steps. */
export const stepsOf = (done: { hasFile: boolean; isReady: boolean }): Step<StepId>[] => [
  { id: 'file', label: t('import.step.file'), isDone: done.hasFile },
  {
    ...{ id: 'columns', label: t('import.step.columns') },
    ...{ isDone: done.isReady, isBlocked: !done.hasFile },
  },
  {
    ...{ id: 'known', label: t('import.step.known') },
    ...{ isDone: false, isBlocked: !done.isReady },
  },
]

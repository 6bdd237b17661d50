import { PlainButton } from '../../parts/button'
import { Icon } from '../../parts/icons'
import { formatList } from '../../texts/format'
import { t } from '../../texts/texts'
import { AddButton } from './add-button'
import { useFlow } from './use-flow'

interface Props {
  isChosen: boolean
  onChoose: () => void
  /** Called with the id of a step that was added at the beginning. */
  onAdded: (id: string) => void
}

/** How a flow begins, above its steps. */
export function StartRow({ isChosen, onChoose, onAdded }: Props) {
  const { flow, isEditable, start } = useFlow()
  const words = flow.trigger_keywords
  return (
    <div className="flow-start">
      <PlainButton className="flow-step" aria-current={isChosen} onPress={onChoose}>
        <Icon name="bolt" size={18} />
        <span className="grow">
          <b>{t('flow.start')}</b>
          <span className="second small" dir="auto">
            {words.length === 0
              ? t(isEditable ? 'flow.start-no-words' : 'flow.words.none')
              : t('flow.start-words', { words: formatList(words) })}
          </span>
        </span>
        {start.isChanged && <span className="chip">{t('parts.edit.changed')}</span>}
      </PlainButton>
      {isEditable && <AddButton place={null} label={t('flow.add-first')} onAdded={onAdded} />}
    </div>
  )
}

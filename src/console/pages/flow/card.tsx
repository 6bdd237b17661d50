import { Handle, Position, type NodeProps, type Node as Drawn } from '@xyflow/react'
import { memo } from 'react'

import { Icon } from '../../parts/icons'
import { RichText } from '../../parts/rich-text'
import { t } from '../../texts/texts'
import { useFigureWords } from './figures'
import { DEFAULT, textIn, type Node } from './model/graph'
import { kindOf, messageOf } from './model/kinds'
import { isRare, outcomesOf } from './model/outcomes'
import { isSaid, kindName, KIND_ICONS, outcomeName, summaryOf } from './words'

/** What a card on the canvas is drawn from. */
export type CardNode = Drawn<
  {
    node: Node
    /** Outcomes that lead somewhere. */
    followed: readonly string[]
    errors: number
    isFirst: boolean
    isOnPath: boolean
    isChosen: boolean
  },
  'card'
>

/** A step as a card: what a customer sees of it, and a port for each of its outcomes. */
export const Card = memo(function Card({ data }: NodeProps<CardNode>) {
  const { node, followed, errors, isFirst, isOnPath, isChosen } = data
  const kind = kindOf(node)
  const figures = useFigureWords(node.id)
  const words = summaryOf(node)
  const shown = outcomesOf(node).filter(
    (outcome) => !isRare(outcome) || followed.includes(outcome) || isChosen,
  )
  const classes = ['flow-card', isChosen && 'chosen', isOnPath && 'on-path', errors > 0 && 'wrong']
  return (
    <div className={classes.filter((name) => name !== false).join(' ')}>
      <Handle type="target" position={Position.Left} className="flow-port in" />
      <header className="flow-card-head">
        <Icon name={KIND_ICONS[kind]} size={18} />
        <b className="grow" dir="auto">
          {node.label ?? kindName(kind)}
        </b>
        {isFirst && <span className="chip">{t('flow.first')}</span>}
        {errors > 0 && <Icon name="warning" size={16} />}
      </header>
      <Shown node={node} words={words} />
      {figures !== null && (
        <p className="flow-card-left small" title={t('flow.figures-hint')}>
          {figures}
        </p>
      )}
      <ul className="flow-ports">
        {shown.map((outcome) => (
          <li
            key={outcome}
            className={outcome.startsWith('button:') ? 'flow-port-row tapped' : 'flow-port-row'}
          >
            <bdi>{outcomeName(node, outcome)}</bdi>
            <Handle
              id={outcome}
              type="source"
              position={Position.Right}
              className={outcome === DEFAULT ? 'flow-port' : 'flow-port branch'}
            />
          </li>
        ))}
      </ul>
    </div>
  )
})

/** What a customer sees of a step, or what it does. */
function Shown({ node, words }: { node: Node; words: string }) {
  const { type, config } = node
  const file = type === 'media' ? textIn(config['media_id']) : ''
  const isPicture = config['kind'] === 'image' || config['kind'] === 'sticker'
  const footer = textIn((type === 'interactive' ? messageOf(node) : config)['footer'])
  const talks = isSaid(node)
  return (
    <div className={talks ? 'flow-card-words said' : 'flow-card-words'}>
      {file !== '' && isPicture && (
        <img src={`/api/media/${file}/thumbnail`} alt="" draggable={false} />
      )}
      {type === 'media' && (file === '' || !isPicture) && (
        <p className="muted">{t(`flow.option.media.kind.${textIn(config['kind']) as 'image'}`)}</p>
      )}
      {words === '' ? (
        type !== 'media' && <p className="muted small">{t('flow.nothing-written')}</p>
      ) : talks ? (
        <RichText text={words} />
      ) : (
        <p dir="auto">{words}</p>
      )}
      {footer !== '' && (
        <p className="muted small" dir="auto">
          {footer}
        </p>
      )}
    </div>
  )
}

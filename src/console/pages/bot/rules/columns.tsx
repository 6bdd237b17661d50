import { Link } from '@tanstack/react-router'

import type { KeywordRule } from '../../../api/shapes'
import { Switch } from '../../../parts/choice'
import { FoundName } from '../../../parts/found-select'
import type { Column } from '../../../parts/table'
import { formatList, formatNumber, formatShort } from '../../../texts/format'
import { t } from '../../../texts/texts'

/** What a rule can answer with. */
export const KINDS = ['text', 'buttons', 'media', 'template', 'flow', 'transfer'] as const

interface Options {
  /** The rule that answers what was tried. */
  winner: string | null
  /** Switches a rule on or off; absent for those who may not. */
  turn: ((rule: KeywordRule, isOn: boolean) => void) | null
}

/** The columns of the rules. */
export const columns = (options: Options): Column<KeywordRule>[] => [
  ...wordColumns(options),
  ...figureColumns(),
  ...turnColumns(options),
]

const wordColumns = ({ winner }: Options): Column<KeywordRule>[] => [
  {
    id: 'name',
    label: t('bot.rules.name'),
    width: 3,
    cell: ({ id, name, warnings }) => (
      <span className="rule-name">
        <Link to="/bot/rules/$ruleId" params={{ ruleId: id }} dir="auto">
          {name}
        </Link>
        {id === winner && <span className="chip good">{t('bot.rules.winner')}</span>}
        {warnings.length > 0 && <span className="chip warn">{t('bot.rules.warned')}</span>}
      </span>
    ),
  },
  {
    id: 'keywords',
    label: t('bot.rules.keywords'),
    width: 3,
    cell: ({ keywords }) => <bdi>{formatList(keywords)}</bdi>,
  },
  {
    id: 'answer',
    label: t('bot.rules.answer'),
    width: 4,
    isExtra: true,
    cell: ({ response_type: kind, response }) =>
      kind === 'text' ? (
        <bdi>{response}</bdi>
      ) : (
        <>
          <span className="chip">{t(`bot.rules.kind.${kind}`)}</span> <bdi>{response}</bdi>
        </>
      ),
  },
]

const figureColumns = (): Column<KeywordRule>[] => [
  {
    id: 'number',
    label: t('bot.rules.number'),
    width: 2,
    isExtra: true,
    isOptional: true,
    cell: ({ account_id: id }) =>
      id === null ? t('bot.rules.any-number') : <FoundName kind="account" id={id} />,
  },
  {
    id: 'hits',
    label: t('bot.rules.hits'),
    width: 1,
    isNumber: true,
    isExtra: true,
    cell: ({ hit_count: count }) => formatNumber(count),
  },
  {
    id: 'last',
    label: t('bot.rules.last'),
    width: 1,
    isNumber: true,
    isExtra: true,
    isOptional: true,
    cell: ({ last_hit_at: at }) => (at === null ? null : formatShort(at)),
  },
  {
    id: 'priority',
    label: t('bot.rules.priority'),
    width: 1,
    isNumber: true,
    cell: ({ priority }) => formatNumber(priority),
  },
]

const turnColumns = ({ turn }: Options): Column<KeywordRule>[] => [
  {
    id: 'enabled',
    label: t('bot.rules.enabled'),
    width: 1,
    cell: (rule) =>
      turn ? (
        <Switch
          aria-label={t('bot.rules.turn', { name: rule.name })}
          isSelected={rule.enabled}
          onChange={(isOn) => {
            turn(rule, isOn)
          }}
        />
      ) : (
        t(rule.enabled ? 'bot.rules.on.yes' : 'bot.rules.on.no')
      ),
  },
]

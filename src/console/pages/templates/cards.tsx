import { Button } from '../../parts/button'
import { Select } from '../../parts/select'
import { t } from '../../texts/texts'
import { Buttons } from './buttons'
import { pathsOfCard } from './content'
import { CARD_HEADERS, EMPTY_CARD, type ButtonForm, type CardForm, type TemplateForm } from './form'
import { MediaField } from './media'
import { Remove, Words } from './words'

const MOST_CARDS = 10
const LEAST_CARDS = 2

/**
 * Returns cards of which one has other buttons. All get the same ones with the same words; where they
 * lead stays that of each card.
 */
export const withButtons = (
  cards: readonly CardForm[],
  index: number,
  buttons: readonly ButtonForm[],
): CardForm[] =>
  cards.map((card, nth) => ({
    ...card,
    buttons: buttons.map((button, at) => {
      const own = card.buttons[at]
      return nth === index || own?.type !== button.type ? button : { ...own, text: button.text }
    }),
  }))

interface Props {
  form: TemplateForm
  path: string
  onChange: (cards: CardForm[]) => void
}

/** The cards of a carousel. All have the same kind of picture and the same buttons. */
export function Cards({ form, path, onChange }: Props) {
  const { cards } = form
  return (
    <div className="form">
      <p className="muted small">{t('templates.cards-hint')}</p>
      {cards.map((card, index) => (
        <fieldset key={index} className="button-form">
          <legend className="visually-hidden">
            {t('templates.card-number', { number: index + 1 })}
          </legend>
          <div className="button-head">
            <b className="grow">{t('templates.card-number', { number: index + 1 })}</b>
            {cards.length > LEAST_CARDS && (
              <Remove
                label={t('templates.card-remove', { number: index + 1 })}
                onPress={() => {
                  onChange(cards.toSpliced(index, 1))
                }}
              />
            )}
          </div>
          <CardFields {...{ form, card, index, onChange }} paths={pathsOfCard(path, index, card)} />
        </fieldset>
      ))}
      {cards.length < MOST_CARDS && (
        <Button
          icon="plus"
          onPress={() => {
            onChange([
              ...cards,
              { ...EMPTY_CARD, ...cards[0], mediaId: null, kept: {}, body: '', samples: {} },
            ])
          }}
        >
          {t('templates.card-add')}
        </Button>
      )}
    </div>
  )
}

interface CardProps extends Omit<Props, 'path'> {
  card: CardForm
  index: number
  /** Where the server reports its problems. */
  paths: ReturnType<typeof pathsOfCard>
}

/** The picture, the text and the buttons of a card. */
function CardFields({ form: { accountId, cards }, card, index, paths, onChange }: CardProps) {
  const change = (more: Partial<CardForm>): void => {
    onChange(cards.map((one, nth) => (nth === index ? { ...one, ...more } : one)))
  }
  return (
    <>
      <Select
        label={t('templates.header')}
        choices={CARD_HEADERS.map((id) => ({ id, label: t(`templates.header.${id}`) }))}
        value={card.format}
        onChange={(format) => {
          onChange(cards.map((one) => ({ ...one, format, mediaId: null, kept: {} })))
        }}
      />
      {card.format !== 'PRODUCT' && (
        <MediaField
          accountId={accountId}
          format={card.format}
          mediaId={card.mediaId}
          onChange={(mediaId) => {
            change({ mediaId, kept: {} })
          }}
        />
      )}
      <Words
        name={`${paths.body}.text`}
        label={t('templates.card-body')}
        most={160}
        rows={3}
        value={card.body}
        samples={card.samples}
        onChange={(body) => {
          change({ body })
        }}
        onSamples={(samples) => {
          change({ samples })
        }}
      />
      <Buttons
        path={`${paths.buttons}.buttons`}
        most={2}
        buttons={card.buttons}
        onChange={(buttons) => {
          onChange(withButtons(cards, index, buttons))
        }}
      />
    </>
  )
}

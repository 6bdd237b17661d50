import type { Data } from '../../api/client'
import { formatCountry, formatDate, formatNumber } from '../../texts/format'
import { findText, t } from '../../texts/texts'

/** A price of WhatsApp. */
export type Price = Data<'GET /api/prices'>['items'][number]

/** Returns the name of a category of messages. */
const nameOfCategory = (category: string): string =>
  findText(`server.price-category.${category}`) ?? category

/** Returns the name of a country, or that all others are meant. */
const nameOfCountry = (country: string): string =>
  country === '*' ? t('server.prices.others') : formatCountry(country)

/** Prices as a table: of the list, and of what an import would bring. */
export const PriceTable = ({ label, prices }: { label: string; prices: readonly Price[] }) => (
  <div className="price-table">
    <table aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{t('server.prices.country')}</th>
          <th scope="col">{t('server.prices.category')}</th>
          <th scope="col" className="number">
            {t('server.prices.price')}
          </th>
          <th scope="col">{t('server.prices.from')}</th>
          <th scope="col" className="extra">
            {t('server.prices.source')}
          </th>
        </tr>
      </thead>
      <tbody>
        {prices.map((price) => (
          <PriceRow key={JSON.stringify(price)} price={price} />
        ))}
      </tbody>
    </table>
  </div>
)

function PriceRow({ price }: { price: Price }) {
  const { country, category, inside_window: isInside, free_per_month: free } = price
  return (
    <tr>
      <th scope="row">{nameOfCountry(country)}</th>
      <td>
        {nameOfCategory(category)}
        {isInside !== null && (
          <span className="muted small">
            {' · '}
            {t(isInside ? 'server.prices.inside' : 'server.prices.outside')}
          </span>
        )}
        {free !== null && (
          <span className="muted small">
            {' · '}
            {t('server.prices.free', { count: formatNumber(free) })}
          </span>
        )}
      </td>
      <td className="number">
        <bdi dir="ltr">{[price.price, price.currency].join(' ')}</bdi>
      </td>
      <td>{formatDate(price.effective_from)}</td>
      <td className="muted extra">
        <bdi>{price.source}</bdi>
      </td>
    </tr>
  )
}

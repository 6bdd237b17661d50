import { reader } from '../../../infra/read/reader'
import { listOrders } from './queries'

/** Lists a page of orders (`listOrders`). */
export const ListOrders = reader('orders.list', 'list', listOrders)

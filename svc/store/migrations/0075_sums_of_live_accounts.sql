-- The sum of a customer is that of its live accounts; until now it had what productions of its sandboxes would have cost, too.
UPDATE spend_months SET amount = max(0, amount - (
    SELECT coalesce(sum(s.amount), 0) FROM accounts a JOIN spend_months s ON s.owner_id = a.id
    WHERE a.customer_id = spend_months.owner_id AND a.environment = 'sandbox' AND s.month = spend_months.month
))
WHERE owner_id IN (SELECT customer_id FROM accounts WHERE environment = 'sandbox');

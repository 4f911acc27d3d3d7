-- Emails that wait for their time. A new value can be used only after its transaction.
ALTER TYPE "email_status" ADD VALUE 'SCHEDULED' BEFORE 'PENDING';

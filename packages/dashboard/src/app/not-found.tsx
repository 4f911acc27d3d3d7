import { Link } from '@tanstack/react-router';
import { Heading } from '../ui/heading.js';
import { useWords } from '../words/words.js';

export function NotFound() {
  const { errors } = useWords();
  return (
    <main className="mx-auto grid max-w-md gap-3 p-8">
      <Heading title={errors.notFound} className="text-xl font-semibold" />
      <Link to="/" className="text-accent underline">
        {errors.home}
      </Link>
    </main>
  );
}

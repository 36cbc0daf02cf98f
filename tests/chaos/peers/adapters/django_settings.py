import os

from psycopg.conninfo import conninfo_to_dict

_database = conninfo_to_dict(os.environ["DATABASE_URL"])

SECRET_KEY = "only for a comparison"
USE_TZ = True
INSTALLED_APPS = [os.environ["PEER"]]
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": _database["dbname"],
        "USER": _database["user"],
        "PASSWORD": _database["password"],
        "HOST": _database["host"],
        "PORT": _database["port"],
    }
}
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates"}]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
# Of django-mailer. Its file lock outlives an owner that is killed, and then stops all who come after. Without it
# the locks of rows in the database keep two senders apart.
MAILER_USE_FILE_LOCK = "NO_FILE_LOCK" not in os.environ
EMAIL_BACKEND = os.environ["BACKEND"]
EMAIL_HOST = "127.0.0.1"
EMAIL_PORT = int(os.environ["SMTP_PORT"])
